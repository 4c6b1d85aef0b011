import type { Handler } from '../edge/call.ts';
import { type FormOptions, readForm } from '../forms/read-form.ts';
import type { FieldRules } from '../forms/receive-form.ts';
import { createStampAnswering, idempotencyKeyOf, type StampAnswering } from './answer-stamp.ts';

/** POST /stamps: reads the form as it streams, then handles it. The short path does the same for small forms. */
export function createStampRoute(options: FormOptions & Parameters<typeof createStampAnswering>[0]): {
  readonly handle: Handler;
  readonly rules: FieldRules;
  readonly answer: StampAnswering;
} {
  const answer = createStampAnswering(options);
  return {
    rules: options,
    answer,
    async handle(call) {
      const key = idempotencyKeyOf(call.singleHeader('Idempotency-Key'));
      return answer(call, key, await readForm(call, options));
    },
  };
}
