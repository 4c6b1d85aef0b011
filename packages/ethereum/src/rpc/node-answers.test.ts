import { describe, expect, it } from '@jest/globals';
import { meaningOf, RpcAnswerError, type RpcFault, RpcUnavailableError } from './errors.ts';
import { meaningOfAnswer, type RpcMeaningKind } from './node-answers.ts';

type Wording = readonly [RpcMeaningKind, number, string];

/** What nodes say to eth_sendRawTransaction, as their sources word it, and anvil on the wire. */
const broadcasts: Readonly<Record<string, readonly Wording[]>> = {
  'geth and op-geth': [
    ['accepted-already', -32000, 'already known'],
    ['accepted-already', -32000, 'known transaction: 4dd8c2'],
    ['nonce-used', -32000, 'nonce too low: next nonce 82, tx nonce 81'],
    ['nonce-used', -32000, 'nonce too low'],
    ['nonce-gap', -32000, 'nonce too high: address 0xab, tx: 9 state: 3'],
    ['nonce-gap', -32000, 'nonce too high: tx nonce 9, gapped nonce 4'],
    ['nonce-gap', -32000, 'gapped-nonce tx from delegated accounts'],
    ['underpriced-replacement', -32000, 'replacement transaction underpriced'],
    ['underpriced-replacement', -32000, 'future transaction tries to replace pending'],
    ['fee-too-low', -32000, 'transaction underpriced'],
    ['fee-too-low', -32000, 'transaction gas price below minimum: gas tip cap 1, minimum needed 1000000'],
    ['fee-too-low', -32000, 'transaction underpriced: gas tip cap 1, minimum needed 1000000'],
    ['fee-too-low', -32000, 'max fee per gas less than block base fee: address 0xab, maxFeePerGas: 1, baseFee: 7'],
    ['funds-missing', -32000, 'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000'],
    ['funds-missing', -32000, 'insufficient funds for gas * price + value: balance 5, queued cost 4, tx cost 2'],
    ['funds-missing', -32000, 'insufficient funds for transfer'],
    ['reverted', 3, 'execution reverted: Unauthorized()'],
    ['reverted', -32000, 'execution reverted: nonce too low'],
    ['node-fault', -32000, 'txpool is full'],
    ['node-fault', -32000, 'account limit exceeded: pooled 64 txs'],
    ['permanent', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000'],
    ['permanent', -32000, 'insufficient gas for floor data gas cost: gas 21000, minimum needed 40000'],
    ['permanent', -32000, 'exceeds block gas limit'],
    ['permanent', -32000, 'transaction gas limit too high (cap: 16777216, tx: 30000000)'],
    ['permanent', -32000, 'oversized data: transaction size 140000, limit 131072'],
    ['fee-too-high', -32000, 'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)'],
    ['permanent', -32000, 'max priority fee per gas higher than max fee per gas: address 0xab'],
    ['permanent', -32000, 'invalid sender: invalid chain id for signer: have 1 want 31337'],
    ['permanent', -32000, 'transaction type not supported: tx type 3 not supported by this pool'],
    ['permanent', -32000, 'only replay-protected (EIP-155) transactions allowed over RPC'],
    ['permanent', -32000, 'rlp: expected input list for types.LegacyTx'],
    ['unknown-outcome', -32002, 'request timed out'],
    ['unknown-outcome', -32000, 'context deadline exceeded'],
  ],
  'a node before a sequencer': [
    ['nonce-used', -32000, "failed to forward tx to sequencer, please try again. Error message: 'nonce too low'"],
    ['accepted-already', -32000, "failed to forward tx to sequencer, err: 'already known'"],
    ['unknown-outcome', -32000, 'failed to forward tx to sequencer: Post "https://sequencer.example": EOF'],
    ['unknown-outcome', -32000, '502 Bad Gateway: upstream connect error'],
  ],
  anvil: [
    ['accepted-already', -32003, 'transaction already imported'],
    ['underpriced-replacement', -32003, 'replacement transaction underpriced'],
    ['funds-missing', -32003, 'Insufficient funds for gas * price + value'],
    ['nonce-gap', -32003, 'Nonce too high'],
    ['fee-too-low', -32003, 'max fee per gas less than block base fee'],
    ['permanent', -32003, 'invalid chain id for signer'],
    ['permanent', -32003, 'Incompatible EIP-155 transaction, signed for another chain'],
    ['permanent', -32000, 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit'],
    ['permanent', -32003, 'Transaction gas limit is greater than the block gas limit, gas_limit: 31, cap: 30'],
    ['permanent', -32602, 'Failed to decode transaction'],
  ],
  reth: [
    ['accepted-already', -32000, 'already known'],
    ['underpriced-replacement', -32000, 'replacement transaction underpriced'],
    ['underpriced-replacement', -32603, '[0xab]: insufficient gas price to replace existing transaction'],
    ['fee-too-low', -32603, 'transaction feeCap 1 below chain minimum'],
    ['fee-too-low', -32003, 'transaction priority fee below minimum required priority fee 1000000'],
    ['funds-missing', -32003, 'transaction overdraws from account'],
    ['nonce-used', -32000, 'nonce too low: next nonce 5, tx nonce 4'],
    ['node-fault', -32003, 'txpool is full'],
    ['permanent', -32000, 'exceeds max transaction gas limit'],
    ['permanent', -32000, 'gas limit too high'],
    ['permanent', -32000, 'invalid chain ID'],
    ['permanent', -32602, 'invalid transaction signature'],
    ['permanent', -32602, 'failed to decode signed transaction'],
  ],
  besu: [
    ['accepted-already', -32000, 'Known transaction'],
    ['nonce-used', -32001, 'Nonce too low'],
    ['underpriced-replacement', -32000, 'Replacement transaction underpriced'],
    ['funds-missing', -32004, 'Upfront cost exceeds account balance'],
    ['fee-too-low', -32009, 'Gas price below configured minimum gas price'],
    ['fee-too-low', -32009, 'Gas price below current base fee'],
    ['fee-too-low', -32009, 'gasPrice is less than the current BaseFee'],
    ['nonce-gap', -32006, 'Nonce too high'],
    ['nonce-gap', -32000, 'Transaction nonce is too distant from current sender nonce'],
    ['nonce-gap', -32000, 'An invalid transaction with a lower nonce exists'],
    ['permanent', -32003, 'Intrinsic gas exceeds gas limit'],
    ['permanent', -32005, 'Transaction gas limit exceeds block gas limit'],
    ['permanent', -32007, 'Sender account not authorized to send transactions'],
    ['permanent', -32000, 'Wrong chainId'],
    ['permanent', -32000, 'ChainId not supported'],
    ['fee-too-high', -32000, 'Transaction fee cap exceeded'],
    ['permanent', -32000, 'Max priority fee per gas exceeds max fee per gas'],
    ['permanent', -32602, 'Invalid transaction type'],
    ['permanent', -32002, 'Invalid signature'],
    ['node-fault', -32008, 'Initial sync is still in progress'],
    [
      'node-fault',
      -32002,
      'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
    ],
    ['unknown-outcome', -32603, 'Timeout expired'],
    ['unknown-outcome', -32603, 'Internal error'],
  ],
  erigon: [
    ['accepted-already', -32000, 'already known'],
    ['accepted-already', -32000, 'existing txn with same hash'],
    ['underpriced-replacement', -32000, 'INTERNAL_ERROR: could not replace existing tx'],
    ['underpriced-replacement', -32000, 'replaced by transaction with higher tip'],
    ['fee-too-low', -32000, 'fee too low'],
    ['fee-too-low', -32000, 'underpriced'],
    ['nonce-used', -32000, 'mined'],
    ['funds-missing', -32000, 'insufficient funds'],
    ['node-fault', -32000, 'pending sub-pool is full'],
    ['node-fault', -32000, 'baseFee sub-pool is full'],
    ['permanent', -32000, 'IntrinsicGas'],
    ['permanent', -32000, 'RLPTooLong'],
    ['permanent', -32000, 'gas limit is too high'],
    ['permanent', -32000, 'initcode too large'],
    ['permanent', -32000, 'invalid sender'],
  ],
  nethermind: [
    ['accepted-already', -32010, 'already known'],
    ['accepted-already', -32010, 'AlreadyKnown'],
    ['nonce-used', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 3.'],
    ['nonce-gap', -32010, 'nonce too far in future'],
    ['nonce-gap', -32010, 'NonceGap, Future nonce. Expected nonce: 5'],
    ['nonce-gap', -32010, 'delegation nonce gap'],
    ['underpriced-replacement', -32010, 'ReplacementNotAllowed'],
    ['funds-missing', -32010, 'InsufficientFunds, Account balance: 0, cumulative cost: 21000'],
    ['fee-too-low', -32010, 'FeeTooLowToCompete'],
    ['fee-too-low', -32010, 'transaction underpriced'],
    ['permanent', -32010, 'gas limit reached, Gas limit: 30000000, gas limit of rejected tx: 40000000'],
    ['permanent', -32010, 'transaction too large'],
    ['permanent', -32010, 'unsupported transaction type'],
    ['permanent', -32010, 'failed to recover sender'],
    ['permanent', -32010, 'sender not an eoa'],
    ['node-fault', -32010, 'node is syncing'],
  ],
  openethereum: [
    ['accepted-already', -32010, 'Transaction with the same hash was already imported.'],
    ['nonce-used', -32010, 'Transaction nonce is too low. Try incrementing the nonce.'],
    [
      'underpriced-replacement',
      -32010,
      'Transaction gas price is too low. There is another transaction with same nonce in the queue.',
    ],
  ],
  'a provider': [
    ['rate-limited', -32005, 'daily request count exceeded, request rate limited'],
    ['rate-limited', 429, 'Your app has exceeded its compute units per second capacity'],
    ['rate-limited', -32029, 'limit'],
    ['rate-limited', -32005, 'Rate limit exceeded'],
    ['node-fault', -32016, 'Unauthorized'],
    ['node-fault', -32000, 'no available nodes'],
  ],
  'words of no known node': [
    ['unknown-outcome', -32000, 'something else happened'],
    ['unknown-outcome', -31999, ''],
    ['node-fault', -32601, 'unknown method'],
  ],
};

/** What nodes say to reads. */
const reads: readonly Wording[] = [
  ['behind', -32000, 'header not found'],
  ['behind', -32001, 'block not found: latest'],
  ['behind', -39001, 'Unknown block'],
  ['behind', -32000, 'missing trie node 4dd8c2 (path ) state 0x01 is not available'],
  ['behind', 4444, 'pruned history unavailable'],
  ['behind', -32001, 'Resource not found'],
  ['behind', -32000, 'cannot query unfinalized data'],
  ['node-fault', -32603, 'Internal error'],
  ['node-fault', -32000, 'execution timeout'],
  ['node-fault', -32000, 'execution aborted (timeout = 5s)'],
  ['rate-limited', -32005, 'limit exceeded'],
  ['permanent', -32005, 'query returned more than 10000 results'],
  ['permanent', -32005, 'Requested range exceeds maximum RPC range limit'],
  ['permanent', -32602, 'invalid argument 0: hex string without 0x prefix'],
  ['permanent', -32000, 'words that no node is known for'],
  ['permanent', -32000, 'gas required exceeds allowance (21000)'],
  ['reverted', 3, 'execution reverted: timeout'],
  ['reverted', -32015, 'VM execution error.'],
  ['reverted', -32603, 'VM Exception while processing transaction: reverted with custom error'],
];

const askedBy = (method: string, [, code, message]: Wording) =>
  meaningOfAnswer({ method, code, message, data: undefined });

describe('what a node answers', () => {
  const wordings = Object.entries(broadcasts).flatMap(([node, rows]) => rows.map((row) => [node, ...row] as const));
  it.each(wordings)('to a broadcast: %s means %s by %s %s', (_, ...wording) => {
    expect(askedBy('eth_sendRawTransaction', wording)).toMatchObject({ kind: wording[0] });
  });
  it.each(reads)('to a read: %s is meant by %s %s', (...wording) => {
    expect(askedBy('eth_call', wording)).toMatchObject({ kind: wording[0] });
  });
  it.each([
    ['0x82b42900', '0x82b42900'],
    [{ data: '0x82b42900', message: 'reverted' }, '0x82b42900'],
    ['Reverted 0x82b42900', '0x82b42900'],
    [undefined, undefined],
    ['no hex', undefined],
    [7, undefined],
  ])('of a revert is handed on with its data: %j', (data, expected) => {
    const answer = { method: 'eth_call', code: 3, message: 'execution reverted', data };
    expect(meaningOfAnswer(answer)).toEqual({ kind: 'reverted', data: expected });
  });
  it('of a rate limit is handed on with the time to wait', () => {
    const answer = {
      method: 'eth_call',
      code: -32005,
      message: 'rate limited',
      data: { rate: { backoff_seconds: 2.5 } },
    };
    expect(meaningOfAnswer(answer)).toEqual({ kind: 'rate-limited', retryAfterMs: 2500 });
  });
});

describe('an error', () => {
  it.each<[RpcFault, RpcMeaningKind]>([
    ['no-answer', 'unknown-outcome'],
    ['rate-limited', 'rate-limited'],
    ['behind', 'behind'],
    ['unreachable', 'node-fault'],
    ['refused', 'node-fault'],
    ['wrong-chain', 'node-fault'],
    ['closed', 'node-fault'],
  ])('of an endpoint: %s means %s, and is worth a retry', (fault, kind) => {
    const error = new RpcUnavailableError('m', { fault, retryAfterMs: 5 });
    expect(meaningOf(error)).toMatchObject({ kind });
    expect(error.retryable).toBe(true);
  });
  it('of another kind says nothing about the outcome', () => {
    expect(meaningOf(new Error('nonce too low'))).toEqual({ kind: 'unknown-outcome' });
  });
  it.each<[string, boolean]>([
    ['header not found', true],
    ['txpool is full', true],
    ['nonce too low', false],
    ['execution reverted', false],
    ['intrinsic gas too low', false],
  ])('of a node is worth the same question again: %s: %s', (message, retryable) => {
    expect(new RpcAnswerError('eth_call', -32000, message, undefined)).toMatchObject({ retryable });
  });
});
