import { RpcAnswerError, RpcUnavailableError } from '../rpc/errors.ts';

/**
 * What a failed broadcast says of the transaction.
 * - `already-known`: this very transaction waits in the node's pool: as good as success.
 * - `nonce-too-low`: some transaction with this nonce is in a block; it may be this one: look its hash up.
 * - `nonce-too-high`: an earlier nonce is missing: broadcast that one first.
 * - `underpriced-replacement`: another transaction with this nonce waits, and this one offers too little more.
 * - `insufficient-funds`: the sender cannot pay.
 * - `fee-too-low`: below the base fee or what the pool takes.
 * - `reverted`: the node ran it and it would fail.
 * - `unavailable`: nothing is known, it may have been taken: broadcast it again unchanged.
 * - `unknown`: a fault of the transaction that is not in this table.
 */
export type BroadcastFault =
  | 'already-known'
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'underpriced-replacement'
  | 'insufficient-funds'
  | 'fee-too-low'
  | 'reverted'
  | 'unavailable'
  | 'unknown';

/**
 * Sentences as nodes say them, first match wins: a revert may quote anything, and a replacement that is underpriced is
 * also an underpriced transaction. g geth (and what follows it: reth, op-geth, nethermind of late), a anvil,
 * b besu, e erigon, n nethermind's older codes, p openethereum.
 */
const table: readonly (readonly [BroadcastFault, readonly RegExp[]])[] = [
  ['reverted', [/execution reverted/, /^reverted\b/, /vm execution error/]],
  [
    'already-known',
    [
      /already known/, // g e
      /already imported/, // a p
      /alreadyknown/, // n
      /known transaction/, // b, older geth: known transaction: HASH
      /existing txn? with same hash/, // e
      /already exists/, // erigon's gRPC code ALREADY_EXISTS
      /already in (the )?(mem)?pool/,
    ],
  ],
  [
    'underpriced-replacement',
    [
      /replacement transaction underpriced/, // g a b e
      /replacement.*(underpriced|not allowed)/,
      /replacementnotallowed/, // n
      /could not replace existing tx/, // e
      /another transaction with same nonce/, // p: gas price too low, there is another transaction with same nonce
      /future transaction tries to replace pending/, // g
    ],
  ],
  [
    'nonce-too-low',
    [
      /nonce(\s+is)?\s+too low/, // g a b e p
      /oldnonce/, // n
      /invalid transaction nonce/,
      /^(internal_error: )?mined$/, // e
      /lower than the (current|next valid) nonce/, // b
    ],
  ],
  [
    'nonce-too-high',
    [
      /nonce(\s+is)?\s+too high/, // g a
      /nonce too (far|distant)/, // b e n: too distant from, or far in the future for, its sender
      /noncegap|noncetoofarinfuture/, // n
      /nonce gap|gapped-nonce/, // g
    ],
  ],
  [
    'insufficient-funds',
    [
      /insufficient (funds|balance)/, // g a e p
      /insufficientfunds/, // n
      /upfront cost exceeds (account|sender) balance/, // b
      /overdraft|exceeds account balance/,
    ],
  ],
  [
    'fee-too-low',
    [
      /less than block base fee/, // g a: max fee per gas less than block base fee
      /less than the current basefee/, // b
      /fee ?too ?low/, // e n
      /underpriced/, // g a e: transaction underpriced
      /(below configured|minimum) (minimum )?gas price/, // b
      /gas price too low|below.*(minimum|floor|base fee)/,
      /outdated/, // a: the transaction's fee lost to the base fee's rise
    ],
  ],
  [
    'unavailable',
    [
      /pool (is )?full|sub-pool is full|transaction pool not enabled|limit reached/, // g e b
      /syncing|not synced/, // n
      /time(d )?out|too many requests|rate limit|internal error/,
    ],
  ],
];

/** @param error what sendRawTransaction threw */
export function classifyBroadcastError(error: unknown): BroadcastFault {
  if (error instanceof RpcUnavailableError) return 'unavailable';
  if (!(error instanceof RpcAnswerError)) return 'unknown';
  if (error.code === 3) return 'reverted';
  const sentence = error.message.toLowerCase();
  return table.find(([, sentences]) => sentences.some((each) => each.test(sentence)))?.[0] ?? 'unknown';
}
