import { eventually } from '@indelible/testing';
import type { StampAnswer } from '../../e2e/support/client.ts';
import { recoveryMs } from './crash-stack.ts';

/** A status that the contract does not name for a request in order: no reason to ask again. */
class ContractBroken extends Error {}

/**
 * Makes the same request again while the connection breaks or the answer is a 503, as the contract tells clients to, and
 * answers with the first other answer.
 * @throws ContractBroken for a status that is not among the expected
 */
export async function ask(
  request: () => Promise<StampAnswer>,
  expected: readonly number[] = [200, 201],
): Promise<StampAnswer> {
  const outcome = await eventually<StampAnswer | ContractBroken>(
    async () => {
      const answer = await request();
      if (answer.status === 503) throw new Error(answer.body.error);
      if (expected.includes(answer.status)) return answer;
      return new ContractBroken(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    },
    { timeoutMs: 2 * recoveryMs, intervalMs: 250 },
  );
  if (outcome instanceof ContractBroken) throw outcome;
  return outcome;
}
