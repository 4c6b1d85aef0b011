import type { Hex } from '@indelible/identifiers';
import type { LoggedEvent } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import { createSharedLog } from './shared-log.ts';

const ada = '0x01';
const bob = '0x02';

/** Logs of rows of two events each; queries are counted, and answered when they are let go. */
function createLogs() {
  const logs = new Map<Hex, { position: number; events: LoggedEvent[] }[]>();
  const queries: string[] = [];
  let gate: Promise<void> | undefined;
  const append = (account: Hex, rows: number): void => {
    const log = logs.get(account) ?? [];
    logs.set(account, log);
    for (let row = 0; row < rows; row++) log.push({ position: 2 * (log.length + 1), events: [one, one] });
  };
  return {
    queries,
    append,
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return () => {
        gate = undefined;
        resolve();
      };
    },
    shared: createSharedLog(async (account, after) => {
      queries.push(`${account} ${after}`);
      const found = (logs.get(account) ?? []).filter(({ position }) => position > after).slice(0, 20);
      await gate;
      return found;
    }),
  };
}
const one = {} as LoggedEvent;

type Logs = ReturnType<typeof createLogs>;
/** The positions of all rows read from there. */
async function readAll({ shared }: Logs, account: Hex, after: number): Promise<number[]> {
  const positions: number[] = [];
  for (;;) {
    const rows = await shared.read(account, positions.at(-1) ?? after);
    if (rows.length === 0) return positions;
    positions.push(...rows.map(({ position }) => position));
  }
}
const even = (from: number, to: number) => Array.from({ length: (to - from) / 2 + 1 }, (_, at) => from + 2 * at);

describe('the shared log', () => {
  it('reads each row once for readers of one account, wherever they begin behind the first', async () => {
    const logs = createLogs();
    logs.append(ada, 50);
    expect(await readAll(logs, ada, 0)).toEqual(even(2, 100));
    const asked = logs.queries.length;
    expect(await readAll(logs, ada, 0)).toEqual(even(2, 100));
    // In the middle of a row.
    expect(await readAll(logs, ada, 31)).toEqual(even(32, 100));
    expect(await readAll(logs, ada, 100)).toEqual([]);
    expect(logs.queries).toHaveLength(asked);
  });

  it('gives slower readers their rows, and no account those of another', async () => {
    const logs = createLogs();
    logs.append(ada, 30);
    logs.append(bob, 3);
    expect(await readAll(logs, ada, 40)).toEqual(even(42, 60));
    expect(await readAll(logs, ada, 0)).toEqual(even(2, 60));
    expect(await readAll(logs, bob, 0)).toEqual([2, 4, 6]);
  });

  it('asks once for all who wait at the end, and again when the log has grown', async () => {
    const logs = createLogs();
    const release = logs.hold();
    const readers = Array.from({ length: 5 }, () => logs.shared.read(ada, 0));
    release();
    expect(await Promise.all(readers)).toEqual([[], [], [], [], []]);
    expect(await logs.shared.read(ada, 0)).toEqual([]);
    expect(logs.queries).toEqual([`${ada} 0`]);
    logs.append(ada, 1);
    logs.shared.hearGrown([ada]);
    expect(await readAll(logs, ada, 0)).toEqual([2]);
    logs.append(ada, 1);
    logs.shared.hearGrown(undefined);
    expect(await readAll(logs, ada, 2)).toEqual([4]);
  });

  it('does not take an answer for the end that is older than what was heard (I11)', async () => {
    const logs = createLogs();
    const release = logs.hold();
    const early = logs.shared.read(ada, 0);
    logs.append(ada, 2);
    logs.shared.hearGrown([ada]);
    const late = logs.shared.read(ada, 0);
    release();
    await early;
    expect((await late).map(({ position }) => position)).toEqual([2, 4]);
    expect(await readAll(logs, ada, 0)).toEqual([2, 4]);
  });

  it('has each row once when two queries at a time have found it', async () => {
    const logs = createLogs();
    logs.append(ada, 2);
    const release = logs.hold();
    const both = [logs.shared.read(ada, 0)];
    logs.append(ada, 2);
    logs.shared.hearGrown([ada]);
    both.push(logs.shared.read(ada, 0));
    release();
    for (const rows of await Promise.all(both)) expect(rows.map(({ position }) => position)).toEqual([2, 4, 6, 8]);
    expect(await readAll(logs, ada, 0)).toEqual([2, 4, 6, 8]);
  });

  it('drops old rows and accounts without readers, and still returns everything', async () => {
    const logs = createLogs();
    logs.append(ada, 3_000);
    expect(await readAll(logs, ada, 0)).toEqual(even(2, 6_000));
    const all = logs.queries.length;
    expect(await readAll(logs, ada, 0)).toEqual(even(2, 6_000));
    expect(logs.queries.length - all).toBeGreaterThan(90);
    for (let account = 0; account < 10_000; account++) await logs.shared.read(`0xa${account}`, 0);
    const before = logs.queries.length;
    expect(await readAll(logs, ada, 5_900)).toEqual(even(5_902, 6_000));
    expect(logs.queries.length).toBeGreaterThan(before);
  });
});
