import type { Hex } from '@indelible/identifiers';

/**
 * What a node's answer, or its absence, means for the request.
 * - `accepted-already`: this transaction is already in the node's pool: a success.
 * - `nonce-used`: a transaction with this nonce is in a block; it may be this one: look its hash up.
 * - `nonce-gap`: an earlier nonce is missing at this node: broadcast that one first.
 * - `underpriced-replacement`: another transaction with this nonce is pending, and this one offers too little more.
 * - `fee-too-low`: below the base fee, or the pool's minimum.
 * - `fee-too-high`: above what the node's operator lets a transaction cost.
 * - `funds-missing`: the sender cannot pay.
 * - `reverted`: the node ran it and it fails; the data is the contract's, if the node returns it.
 * - `rate-limited`: refused unseen; retry after `retryAfterMs`, if given.
 * - `behind`: the node does not have the requested block or state; another may. Worth a retry.
 * - `unknown-outcome`: no usable answer. A broadcast may have been accepted: repeat it unchanged, look up its hash.
 * - `node-fault`: an error of the node, not of the request; nothing was accepted. Worth a retry, better elsewhere.
 * - `permanent`: the same request will get the same answer.
 */
export type RpcMeaning =
  | { readonly kind: Exclude<RpcMeaningKind, 'reverted' | 'rate-limited'> }
  | { readonly kind: 'reverted'; readonly data: Hex | undefined }
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number | undefined };

export type RpcMeaningKind =
  | 'accepted-already'
  | 'nonce-used'
  | 'nonce-gap'
  | 'underpriced-replacement'
  | 'fee-too-low'
  | 'fee-too-high'
  | 'funds-missing'
  | 'reverted'
  | 'rate-limited'
  | 'behind'
  | 'unknown-outcome'
  | 'node-fault'
  | 'permanent';

/** A JSON-RPC error as it came: the sentence is the node's own. */
export type NodeAnswer = {
  readonly method: string;
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
};

/** `broken-off`: the node hit a fault or a time limit midway. A broadcast may have been accepted by then. */
type RowKind = Exclude<RpcMeaningKind, 'unknown-outcome'> | 'broken-off';

/**
 * The first row that matches wins; sentences are compared in lower case. The order matters: a revert may quote anything, a
 * replacement that is underpriced is also an underpriced transaction, and a sequencer's refusal is quoted by the node
 * before it. g geth and what follows its words (op-geth, arbitrum, bor, coreth, and reth and nethermind of late),
 * a anvil, b besu, e erigon, n nethermind's older codes, p openethereum, r reth's pool, v providers.
 */
const sentences: readonly (readonly [RowKind, RegExp])[] = [
  ['reverted', /execution reverted|^vm execution error|^reverted\b|^vm exception .*revert/],
  ['accepted-already', /already known|alreadyknown|already imported|already in (the )?(mem)?pool|already exists/], // g n a p e
  ['accepted-already', /(^|[^n])known transaction|existing txn? with same hash/], // b and older geth, e
  ['underpriced-replacement', /replacement.*(underpriced|not allowed)|replacementnotallowed/], // g a b e, n
  ['underpriced-replacement', /could not replace existing|insufficient gas price to replace/], // e, r
  ['underpriced-replacement', /another transaction with same nonce|future transaction tries to replace pending/], // p, g
  ['underpriced-replacement', /replaced by transaction with higher tip/], // e: what it replaces came first
  ['nonce-used', /nonce(\s+is)?\s+too low|oldnonce|stale nonce|invalid transaction nonce/], // g a b e p r, n
  ['nonce-used', /^(internal_error: )?mined$|lower than the (current|next valid) nonce/], // e, b
  ['nonce-gap', /nonce(\s+is)?\s+too (high|far|distant)|nonce gap|gapped-nonce|noncegap|noncetoofarinfuture/], // g a b e n
  ['nonce-gap', /invalid transaction with a lower nonce exists/], // b
  ['funds-missing', /insufficient (funds|balance)|insufficientfunds|overdraft|overdraws/], // g a e p n r
  ['funds-missing', /upfront cost exceeds|exceeds (account|sender) balance/], // b
  ['fee-too-low', /less than (the )?(block|current) base ?fee|below (the )?current base ?fee/], // g a b
  ['fee-too-low', /fee ?too ?low|underpriced|gas price too low|below (configured )?minimum|below chain minimum/], // e n g b r
  ['fee-too-low', /minimum (required )?(gas price|priority fee)|below.*(floor|base fee)|outdated/], // b r, a
  ['permanent', /intrinsic ?gas|floor data gas|gas limit (is )?too high|exceeds (the )?(block|max)/], // g a b r e
  ['permanent', /gas limit (reached|exceed)|gaslimitexceeded|greater than the block gas limit|gas limit exceeds/], // n a b r
  ['permanent', /oversized data|transaction too large|rlptoolong|max initcode|initcode too large|data too large/], // g n e r
  ['permanent', /(invalid|wrong|incompatible).*chain ?id|eip-155|chainid (not supported|is required)/], // g a b
  ['fee-too-high', /exceeds the configured cap|fee cap exceeded/], // g b
  ['permanent', /higher than max fee|exceeds max fee|higher than 2\^256/], // g b
  ['permanent', /invalid (sender|signature)|recover sender|not an eoa|not supported by this pool/], // g n r
  ['permanent', /type (is )?not supported|(unsupported|invalid) transaction type|gas required exceeds allowance/], // g b n
  ['permanent', /failed to decode|rlp:|negative value|nonce has max value|uint64 overflow|transaction cost overflow/],
  ['permanent', /query returned more than|block range|range (is )?too large|response size/], // v
  ['permanent', /not authorized to send/], // b
  ['rate-limited', /rate.?limit|too many requests|request count exceeded|compute units|quota|throughput|daily .*limit/], // v
  ['behind', /header not found|unknown block|block (is )?not found|missing trie node|state (is )?not available/], // g a b r
  ['behind', /historical state|pruned history|world state unavailable|receipts? not found|resource not found/], // g r b a
  ['behind', /unfinalized data|blockoutofrange|required data unavailable|(finalized|safe) block not/], // coreth, a, g
  ['node-fault', /syncing|not synced|sync is still in progress|pool (is )?full|pool not enabled|poolisfull/], // n b g
  ['node-fault', /account limit exceeded|limit reached|no available nodes|no backend|unauthori[sz]ed|api key/], // g, v
  ['broken-off', /time(d )?.?out|timeout|deadline exceeded|temporarily|try again|internal error|canceled/],
  ['broken-off', /failed to forward|service unavailable|bad gateway|connection re(set|fused)|\beof\b/], // op-geth, v
];

/** Used for unknown sentences: besu gives some EIP-1474 codes another meaning in eth_sendRawTransaction. */
const codes: ReadonlyMap<number, RowKind> = new Map<number, RowKind>([
  [429, 'rate-limited'],
  [-32005, 'rate-limited'], // EIP-1474: limit exceeded
  [-32029, 'rate-limited'],
  [-32605, 'rate-limited'],
  [-32001, 'behind'], // EIP-1474: resource not found
  [-32014, 'behind'],
  [-39001, 'behind'],
  [4444, 'behind'], // EIP-4444: pruned history
  [-32002, 'broken-off'], // EIP-1474: resource unavailable; geth: request timed out
  [-32603, 'broken-off'], // internal error
  [-32015, 'broken-off'],
  [-32016, 'node-fault'], // unauthorized
  [-32700, 'permanent'],
  [-32600, 'permanent'],
  [-32601, 'permanent'], // no such method
  [-32602, 'permanent'],
  [-32004, 'permanent'], // EIP-1474: method not supported
]);

/** For a broadcast these concern the request, not the transaction: another node may accept it. */
const aboutTheQuestion: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32004]);

/** The method whose answer decides about a transaction. */
export const broadcastMethod = 'eth_sendRawTransaction';

/** What a node's JSON-RPC error means. An unknown refusal of a broadcast does not prove that nothing was accepted. */
export function meaningOfAnswer(answer: NodeAnswer): RpcMeaning {
  const { method, code, data } = answer;
  const message = answer.message.toLowerCase();
  // The text of a revert is the contract's, and must not be read as the node's.
  if (code === 3) return { kind: 'reverted', data: revertData(data) };
  const isBroadcast = method === broadcastMethod;
  const row =
    sentences.find(([, sentence]) => sentence.test(message))?.[0] ??
    (isBroadcast && aboutTheQuestion.has(code) ? 'node-fault' : codes.get(code));
  switch (row) {
    case 'reverted':
      return { kind: row, data: revertData(data) };
    case 'rate-limited':
      return { kind: row, retryAfterMs: backoffTold(data) };
    case 'broken-off':
      return { kind: isBroadcast ? 'unknown-outcome' : 'node-fault' };
    case undefined:
      return { kind: isBroadcast ? 'unknown-outcome' : 'permanent' };
    default:
      return { kind: row };
  }
}

const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value);

/** Nodes return the data as hex, within an object, or (old ones) after the word Reverted. */
function revertData(data: unknown): Hex | undefined {
  if (isHex(data)) return data;
  if (typeof data === 'string') {
    const quoted = data.replace(/^reverted\s+/i, '');
    return isHex(quoted) ? quoted : undefined;
  }
  const inner = typeof data === 'object' && data !== null ? (data as Record<string, unknown>).data : undefined;
  return isHex(inner) ? inner : undefined;
}

/** Infura's form of a retry delay. */
function backoffTold(data: unknown): number | undefined {
  const rate = typeof data === 'object' && data !== null ? (data as Record<string, unknown>).rate : undefined;
  const seconds =
    typeof rate === 'object' && rate !== null ? (rate as Record<string, unknown>).backoff_seconds : undefined;
  return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}
