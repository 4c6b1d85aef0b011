import { describe, expect, it } from '@jest/globals';
import { createLaneSet } from './lane-set.ts';

const start = Date.parse('2026-11-21T04:10:07Z');
const webhookId = '0198f2c4-7b1e-7c3a-9d52-6e0f8a1b2c3d';
const rowOf = (version: number) => ({
  ...{ webhook_id: webhookId, account: Buffer.from('01', 'hex'), url: `https://example.com/${version}` },
  ...{ types: ['stamp.failed'], collections: [], ordered: false, description: null, secret: Buffer.alloc(0) },
  ...{
    former_secret: null,
    former_until: null,
    sealed_url: null,
    older_secrets: [],
    older_untils: [],
    status: 'enabled',
    disabled_reason: null,
    disabled_at: null,
  },
  ...{ position: 0, failing_since: null, created_at: new Date(start), updated_at: new Date(start + version) },
});

/**
 * A set with one webhook, whose row has a version. @param whileRead called after the row was read, before the result
 * arrives
 */
async function setOfOne(whileRead: () => void = () => {}) {
  const stored = { version: 1 };
  const query = async ({ name }: { name: string }) => {
    if (name === 'find-webhooks-with-work') return { rows: [rowOf(stored.version)] };
    if (name !== 'find-enabled-webhooks') return { rows: [] };
    const rows = [rowOf(stored.version)];
    whileRead();
    return { rows };
  };
  const log = { hearGrown() {} };
  const set = createLaneSet({ database: { query } as never, now: () => start, log });
  const lane = () => [...set.all()][0]!;
  await set.tend();
  expect(lane().webhook.url).toBe('https://example.com/1');
  return {
    set,
    lane,
    change(): void {
      stored.version += 1;
      set.hearChanged(webhookId);
    },
  };
}

describe('a webhook that is changed', () => {
  it('sends nothing more by what it was, from the moment that the change is heard', async () => {
    const { set, lane, change } = await setOfOne();
    const before = lane();
    before.log.append([{ position: 1, event: { id: 'e', name: 'stamp.failed' } as never, set: '' }], 1);
    change();
    expect(before.next(start)).toBeUndefined();
    await set.tend();
    expect(before.next(start)).toBeUndefined();
    await set.tend();
    expect(lane().webhook.url).toBe('https://example.com/2');
  });

  it('is read again when it is changed while it is read', async () => {
    let reads = 0;
    const world = await setOfOne(() => {
      reads += 1;
      if (reads === 2) world.change();
    });
    world.change();
    for (let round = 0; round < 6; round++) await world.set.tend();
    expect(world.lane().webhook.url).toBe('https://example.com/3');
  });
});

/** This many webhooks, all with endless work. */
function setOfMany(count: number, mostLanes: number) {
  const ids = Array.from({ length: count }, (_, at) => `0198f2c4-7b1e-7c3a-9d52-${String(at).padStart(12, '0')}`);
  let now = start;
  const queries: string[] = [];
  const query = async ({ name, values }: { name: string; values: unknown[] }) => {
    queries.push(name);
    if (name !== 'find-webhooks-with-work') return { rows: [] };
    const [limit, after] = values as [number, string];
    const found = ids.filter((id) => id > after).slice(0, limit);
    return { rows: found.map((id) => ({ ...rowOf(1), webhook_id: id })) };
  };
  const set = createLaneSet({ database: { query } as never, now: () => now, log: { hearGrown() {} }, mostLanes });
  return {
    ids,
    set,
    queries,
    async pass(ms: number): Promise<void> {
      now += ms;
      await set.tend();
      for (const lane of set.all())
        lane.log.append([{ position: lane.log.readTo() + 1, event: {} as never, set: '' }], lane.log.readTo() + 1);
    },
  };
}

describe('webhooks at work', () => {
  it('take turns when there are more of them than lanes: none waits for ever (I12)', async () => {
    const { ids, set, pass } = setOfMany(25, 10);
    const seen = new Set<string>();
    for (let seconds = 0; seconds < 300; seconds++) {
      await pass(1_000);
      const lanes = [...set.all()];
      expect(lanes.length).toBeLessThanOrEqual(10);
      for (const { webhook } of lanes) seen.add(webhook.webhookId);
    }
    expect([...seen].toSorted()).toEqual(ids);
  });

  it('are read together: many of them cost no more queries than one', async () => {
    const one = setOfMany(1, 1_000);
    const many = setOfMany(150, 1_000);
    for (const world of [one, many]) {
      await world.pass(0);
      for (const lane of world.set.all()) lane.markStale();
      await world.pass(50);
    }
    expect([...many.set.all()].filter((lane) => lane.isStale())).toEqual([]);
    expect(many.queries).toEqual(one.queries);
  });
});
