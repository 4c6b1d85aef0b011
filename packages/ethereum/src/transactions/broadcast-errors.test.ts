import { describe, expect, it } from '@jest/globals';
import { RpcAnswerError, RpcUnavailableError } from '../rpc/errors.ts';
import { type BroadcastFault, classifyBroadcastError } from './broadcast-errors.ts';

/** [fault, code, sentence] as seen in the sources of the nodes, and of anvil on the wire. */
const answers: readonly (readonly [BroadcastFault, number, string])[] = [
  // geth and what follows it
  ['already-known', -32000, 'already known'],
  ['already-known', -32000, 'known transaction: 4dd8c2'],
  ['nonce-too-low', -32000, 'nonce too low: next nonce 82, tx nonce 81'],
  ['nonce-too-low', -32000, 'nonce too low'],
  ['nonce-too-high', -32000, 'nonce too high: address 0xab, tx: 9 state: 3'],
  ['underpriced-replacement', -32000, 'replacement transaction underpriced'],
  ['underpriced-replacement', -32000, 'future transaction tries to replace pending'],
  ['fee-too-low', -32000, 'transaction underpriced'],
  ['fee-too-low', -32000, 'transaction underpriced: gas tip cap 1, minimum needed 1000000'],
  ['fee-too-low', -32000, 'max fee per gas less than block base fee: address 0xab, maxFeePerGas: 1, baseFee: 7'],
  [
    'insufficient-funds',
    -32000,
    'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000',
  ],
  ['reverted', 3, 'execution reverted: Unauthorized()'],
  ['reverted', -32000, 'execution reverted: nonce too low'],
  ['unavailable', -32000, 'txpool is full'],
  ['unknown', -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000'],
  ['unknown', -32000, 'exceeds block gas limit'],
  ['unknown', -32000, 'oversized data: transaction size 140000, limit 131072'],
  ['unknown', -32000, 'tx fee (1.50 ether) exceeds the configured cap (1.00 ether)'],
  // anvil
  ['already-known', -32003, 'transaction already imported'],
  ['insufficient-funds', -32003, 'Insufficient funds for gas * price + value'],
  ['unknown', -32003, 'invalid chain id for signer'],
  // besu
  ['already-known', -32000, 'Known transaction'],
  ['nonce-too-low', -32001, 'Nonce too low'],
  ['underpriced-replacement', -32000, 'Replacement transaction underpriced'],
  ['insufficient-funds', -32004, 'Upfront cost exceeds account balance'],
  ['fee-too-low', -32009, 'Gas price below configured minimum gas price'],
  ['fee-too-low', -32009, 'gasPrice is less than the current BaseFee'],
  ['nonce-too-high', -32006, 'Nonce too far in the future'],
  [
    'unavailable',
    -32002,
    'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
  ],
  // erigon
  ['already-known', -32000, 'existing txn with same hash'],
  ['underpriced-replacement', -32000, 'INTERNAL_ERROR: could not replace existing tx'],
  ['fee-too-low', -32000, 'fee too low'],
  ['fee-too-low', -32000, 'underpriced'],
  ['nonce-too-low', -32000, 'mined'],
  ['unavailable', -32000, 'pending sub-pool is full'],
  // nethermind, of old
  ['already-known', -32010, 'AlreadyKnown'],
  ['nonce-too-low', -32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 3.'],
  ['nonce-too-high', -32010, 'NonceGap, Future nonce. Expected nonce: 5'],
  ['underpriced-replacement', -32010, 'ReplacementNotAllowed'],
  ['insufficient-funds', -32010, 'InsufficientFunds, Account balance: 0, cumulative cost: 21000'],
  ['fee-too-low', -32010, 'FeeTooLowToCompete'],
];

describe('a failed broadcast', () => {
  it.each(answers)('is %s when the node answers %s %s', (fault, code, sentence) => {
    expect(classifyBroadcastError(new RpcAnswerError('eth_sendRawTransaction', code, sentence, undefined))).toBe(fault);
  });
  it('is unavailable when no node answered, and unknown when it is no error of the RPC', () => {
    expect(classifyBroadcastError(new RpcUnavailableError('no answer'))).toBe('unavailable');
    expect(classifyBroadcastError(new Error('nonce too low'))).toBe('unknown');
    expect(classifyBroadcastError(undefined)).toBe('unknown');
  });
});
