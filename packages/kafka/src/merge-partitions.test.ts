import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { BatchContext, Handle } from './batch-runner.ts';
import { mergePartitions } from './merge-partitions.ts';
import type { IncomingMessage } from './message.ts';

const message = (id: string) => ({ id }) as IncomingMessage;
const context = (partition: number, topic: BatchContext['topic'] = 'events.stamps'): BatchContext => ({
  topic,
  partition,
  signal: new AbortController().signal,
  alone: false,
  heartbeat: async () => undefined,
});

/** A handler whose first call waits until it is released. */
function given(fault?: (ids: readonly string[]) => Error | undefined, patienceMs = 60_000, lingerMs = 0) {
  const batches: string[][] = [];
  const first = Promise.withResolvers<void>();
  const handle: Handle = async (batch) => {
    const ids = batch.map(({ id }) => id);
    batches.push(ids);
    if (batches.length === 1) await first.promise;
    const error = fault?.(ids);
    if (error !== undefined) throw error;
  };
  return { batches, release: first.resolve, merged: mergePartitions(handle, { maxMessages: 3, patienceMs, lingerMs }) };
}

describe('what several partitions bring', () => {
  it('in one turn is one batch', async () => {
    const { batches, release, merged } = given();
    release();
    await Promise.all([merged([message('a1')], context(1)), merged([message('b1')], context(2))]);
    expect(batches).toEqual([['a1', 'b1']]);
  });

  it('is one batch of what waited meanwhile, each in its order, up to the bound', async () => {
    const { batches, release, merged } = given();
    const first = merged([message('a1')], context(1));
    await turn();
    const calls = [
      first,
      merged([message('b1'), message('b2')], context(2)),
      merged([message('c1'), message('c2')], context(3)),
      merged([message('d1')], context(4)),
    ];
    release();
    await Promise.all(calls);
    expect(batches).toEqual([['a1'], ['b1', 'b2', 'c1', 'c2'], ['d1']]);
  });

  it('is one batch of what comes while it lingers', async () => {
    const { batches, release, merged } = given(undefined, undefined, 50);
    release();
    const calls = [merged([message('a1')], context(1))];
    await turn();
    expect(batches).toEqual([]);
    calls.push(merged([message('b1')], context(2)));
    await Promise.all(calls);
    expect(batches).toEqual([['a1', 'b1']]);
  });

  it('does not linger when it is full', async () => {
    const { batches, release, merged } = given(undefined, undefined, 60_000);
    release();
    await merged([message('a1'), message('a2'), message('a3')], context(1));
    expect(batches).toEqual([['a1', 'a2', 'a3']]);
  });

  it('fails only for the partition whose part fails by itself', async () => {
    const { batches, release, merged } = given((ids) => (ids.includes('b1') ? new Error('at fault') : undefined));
    const first = merged([message('a1')], context(1));
    await turn();
    const calls = [first, merged([message('b1')], context(2)), merged([message('c1')], context(3))];
    release();
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(batches).toEqual([['a1'], ['b1', 'c1'], ['b1'], ['c1']]);
  });

  it('is not mixed with another topic, nor does one wait for the other', async () => {
    const { batches, release, merged } = given();
    const held = merged([message('a1')], context(1));
    await merged([message('x1')], context(1, 'events.files'));
    release();
    await held;
    expect(batches).toEqual([['a1'], ['x1']]);
  });

  it('waits for no batch that takes longer than the patience: the next ones go beside it (I12)', async () => {
    const { batches, release, merged } = given(undefined, 1);
    const held = merged([message('a1')], context(1));
    await turn();
    await merged([message('b1')], context(2));
    expect(batches).toEqual([['a1'], ['b1']]);
    release();
    await held;
  });

  it('takes nothing in that failed before: it would fail the others with it (I12)', async () => {
    const { batches, release, merged } = given();
    const held = merged([message('a1')], context(1));
    await turn();
    await merged([message('b1')], { ...context(2), alone: true });
    expect(batches).toEqual([['a1'], ['b1']]);
    release();
    await held;
  });
});
