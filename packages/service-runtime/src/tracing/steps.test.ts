import { describe, expect, it } from '@jest/globals';
import { beginSteps, handleInSteps, sampledOf } from './steps.ts';
import { noTracing, type SpanStart, type Tracing } from './tracing.ts';

const context = (trace: number, flags = '01'): string =>
  `00-${trace.toString(16).padStart(32, '0')}-00f067aa0ba902b7-${flags}`;
const start: SpanStart = { name: 'step' };

/** Each span has its parent's trace, and an id of its own. */
function recording() {
  const begun: (string | undefined)[] = [];
  const ended: unknown[] = [];
  const tracing: Tracing = {
    ...noTracing,
    on: true,
    begin(parent) {
      begun.push(parent);
      const traceparent = `${parent?.slice(0, 36)}${begun.length.toString(16).padStart(16, '0')}-01`;
      return { traceparent, end: (_attributes, outcome) => void ended.push(outcome ?? 'done') };
    },
  };
  return { tracing, begun, ended };
}

describe('a step that serves many traces', () => {
  it('has a span in each sampled one, whatever number of messages it has', async () => {
    const { tracing, begun, ended } = recording();
    const messages = [1, 2, 1].map((trace) => ({ traceparent: context(trace) }));
    const others = [{ traceparent: context(3, '00') }, {}];
    const carried = await handleInSteps(tracing, [...messages, ...others], start, async (given) => given);
    expect(begun).toEqual([context(1), context(2)]);
    expect(carried.map(({ traceparent }) => traceparent?.slice(3, 52))).toEqual([
      `${'1'.padStart(32, '0')}-${'1'.padStart(16, '0')}`,
      `${'2'.padStart(32, '0')}-${'2'.padStart(16, '0')}`,
      `${'1'.padStart(32, '0')}-${'1'.padStart(16, '0')}`,
      context(3, '00').slice(3, 52),
      undefined,
    ]);
    expect(ended).toEqual(['done', 'done']);
  });

  it('fails with its work, and the work with its own error', async () => {
    const { tracing, ended } = recording();
    const fault = new Error('no database');
    const work = handleInSteps(tracing, [{ traceparent: context(1) }], start, () => Promise.reject(fault));
    await expect(work).rejects.toBe(fault);
    expect(ended).toEqual(['failed']);
  });

  it('makes nothing of what is not sampled: the messages are handled as they are', async () => {
    const { tracing, begun } = recording();
    const messages = [{ traceparent: context(1, '00') }, {}];
    expect(await handleInSteps(tracing, messages, start, async (given) => given)).toBe(messages);
    expect(begun).toEqual([]);
    expect(sampledOf(noTracing, [context(1)])).toEqual([]);
    expect(beginSteps(tracing, [], start).after(context(1))).toBe(context(1));
  });
});
