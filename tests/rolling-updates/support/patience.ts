import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Connection } from './requests.ts';

/** How often a request is sent again. */
const mostRepeats = 20;
const afterBreakMs = 200;

/** A client that sends a request again when its connection breaks, or after Retry-After when a 503 accepted nothing. */
export function createPatient(connection: Connection, note: (setback: string) => void): Connection {
  return {
    ...connection,
    async send(...request): Promise<Answer> {
      for (let repeats = 0; ; repeats++)
        try {
          const answer = await connection.send(...request);
          const isRefused = answer.status === 503 && answer.retryAfter !== undefined && answer.location === undefined;
          if (answer.status === 503) note(isRefused ? '503' : '503 with a status resource');
          if (!isRefused || repeats === mostRepeats) return answer;
          await delay(Number(answer.retryAfter) * 1_000);
        } catch (error) {
          if (repeats === mostRepeats) throw error;
          note(`connection: ${(error as NodeJS.ErrnoException).code ?? (error as Error).name}`);
          await delay(afterBreakMs);
        }
    },
  };
}

/**
 * What a request that is sent again is answered when the first one succeeded without its client's knowledge: a stamp 200, a collection 409.
 * And a stamp that takes longer than a client waits: 503 with its status resource (docs/contract.md).
 */
export const isOutcomeOfRepeat = (kind: string, { status, location }: Answer): boolean =>
  status === 200 || (kind === 'collection' && status === 409) || (status === 503 && location !== undefined);
