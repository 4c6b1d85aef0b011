import { describe, expect, it } from '@jest/globals';
import { createPatience } from '../../limits/patience.ts';
import type { Call } from './call.ts';
import { lookingUp } from './looking-up.ts';

const never = new Promise<never>(() => {});

describe('an operation that only looks up', () => {
  it('ends what it reads by when its time is over, and is retryable', async () => {
    const gone = new AbortController().signal;
    let seen: AbortSignal | undefined;
    const handler = lookingUp((call) => {
      seen = call.gone;
      return never;
    });
    const call = { gone, patience: createPatience(1) } as Call;
    await expect(handler(call)).rejects.toMatchObject({ retryable: true });
    expect([seen?.aborted, gone.aborted]).toEqual([true, false]);
  });
});
