import { type Rpc, RpcAnswerError, RpcUnavailableError } from '@indelible/ethereum';
import { describe, expect, it } from '@jest/globals';
import { waitForGrant } from './wait-for-grant.ts';

const yes = `0x${'1'.padStart(64, '0')}`;
const no = `0x${'0'.repeat(64)}`;
const parties = {
  contract: `0x${'c0'.repeat(20)}`,
  user: `0x${'aa'.repeat(20)}`,
  operator: `0x${'0b'.repeat(20)}`,
} as const;

/** Gives the answers in turn, repeating the last. */
function scriptedRpc(answers: readonly (string | Error)[]) {
  const calls: unknown[] = [];
  const call = async (method: string, params: readonly unknown[]) => {
    const answer = answers[Math.min(calls.length, answers.length - 1)];
    calls.push([method, params]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { calls, rpc: { call } as unknown as Rpc };
}

describe('waiting for a grant', () => {
  it('reads the contract until the grant is there', async () => {
    const { calls, rpc } = scriptedRpc([no, no, yes]);
    expect(await waitForGrant({ rpc, ...parties, timeoutMs: 60_000, pollIntervalMs: 1 })).toBe(true);
    expect(calls.length).toBe(3);
    const data = `0x35f935b6${'00'.repeat(12)}${'aa'.repeat(20)}${'00'.repeat(12)}${'0b'.repeat(20)}`;
    expect(calls[0]).toEqual(['eth_call', [{ to: parties.contract, data }, 'latest']]);
  });

  it('ends at its time without a grant', async () => {
    const { rpc } = scriptedRpc([no]);
    expect(await waitForGrant({ rpc, ...parties, timeoutMs: 20, pollIntervalMs: 1 })).toBe(false);
  });

  it('waits out faults of the moment, and a contract the node does not see yet', async () => {
    const { rpc } = scriptedRpc([new RpcUnavailableError('away'), '0x', yes]);
    expect(await waitForGrant({ rpc, ...parties, timeoutMs: 60_000, pollIntervalMs: 1 })).toBe(true);
  });

  it('ends with an error when the node refuses the question for good', async () => {
    const { rpc } = scriptedRpc([new RpcAnswerError('eth_call', -32601, 'method not found', undefined)]);
    await expect(waitForGrant({ rpc, ...parties, timeoutMs: 60_000 })).rejects.toThrow('method not found');
  });

  it('ends when its caller aborts', async () => {
    const { rpc } = scriptedRpc([no]);
    const reason = new Error('stopped');
    const signal = AbortSignal.abort(reason);
    await expect(waitForGrant({ rpc, ...parties, timeoutMs: 60_000, signal })).rejects.toBe(reason);
  });
});
