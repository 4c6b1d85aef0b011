import { eventually } from '@indelible/testing';
import type { StampAnswer } from '../../e2e/support/client.ts';
import { recoveryMs } from './crash-stack.ts';

/** A status outside the contract for a valid request: no reason to retry. */
class ContractBroken extends Error {}

/**
 * Repeats the same request while the connection breaks or the response is a 503, as the contract requires of clients,
 * and returns the first other response.
 * @throws ContractBroken for an unexpected status
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
