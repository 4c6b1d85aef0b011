import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import type { LoggedEvent } from '@indelible/public-events';
import type { TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendRows } from '../../src/tables/log.ts';
import { createLogBlocks } from '../../src/use-cases/log-blocks.ts';
import { readLogged } from '../../src/use-cases/read-events.ts';
import { connect, notificationsDatabase } from '../support/database.ts';
import { accountOf } from '../support/messages.ts';

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await notificationsDatabase();
  database = connect(server.url);
}, 60_000);
afterAll(async () => {
  await database.close();
  await server.drop();
});

const eventAt = (position: number) => ({ name: 'stamp.confirmed', data: { position } }) as unknown as LoggedEvent;

/** Appends rows of so many events each. */
async function append(account: Hex, from: number, ...sizes: number[]): Promise<void> {
  let position = from;
  const rows = sizes.map((size) => {
    const events = Array.from({ length: size }, (_, at) => eventAt(position + 1 + at));
    position += size;
    return { account, position, events };
  });
  await database.transaction((client) => appendRows(client, rows));
}

/** Counts its queries; `held` delays the next one. */
function counted() {
  const counter = { queries: 0, held: undefined as Promise<void> | undefined };
  const query = (async (...given: Parameters<Database['query']>) => {
    counter.queries += 1;
    const answer = await database.query(...given);
    await counter.held;
    return answer;
  }) as Database['query'];
  return { counter, read: createLogBlocks({ query }), bounded: (kept: number) => createLogBlocks({ query }, { kept }) };
}

/** Positions of all events read from there; each event has its own. */
async function readAll(read: ReturnType<typeof createLogBlocks>, account: Hex, from = 0): Promise<number[]> {
  const positions: number[] = [];
  for (let after = from, more = true; more; ) {
    const page = await readLogged(read, { account, after, limit: 100, types: undefined, collections: undefined });
    for (const { position, event } of page.events) {
      expect(event.data).toEqual({ position });
      positions.push(position);
    }
    ({ next: after, more } = page);
  }
  return positions;
}
const upTo = (last: number, from = 0) => Array.from({ length: last - from }, (_, at) => from + 1 + at);

describe('blocks of a log', () => {
  it.each([
    ['one event a row', Array<number>(600).fill(1)],
    ['rows over the bounds of blocks', [200, 200, 200]],
    ['rows that end with blocks', [200, 56, 200, 56, 88]],
    ['rows longer than blocks', [700, 3, 400]],
  ])('have each event once and in order, wherever a reader begins: %s', async (name, sizes) => {
    const account = accountOf(name);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    await append(account, 0, ...sizes);
    const { read } = counted();
    expect(await readAll(read, account)).toEqual(upTo(total));
    for (const from of [1, 199, 200, 255, 256, 257, 511, 512, 599, total])
      expect(await readAll(read, account, from)).toEqual(upTo(total, from));
  });

  it('read what is whole once for all readers, and the end of the log for each, so that no event is missed', async () => {
    const account = accountOf('shared');
    await append(account, 0, 200, 200, 200);
    const { counter, read } = counted();
    const all = await Promise.all(Array.from({ length: 50 }, () => readAll(read, account)));
    for (const one of all) expect(one).toEqual(upTo(600));
    const asked = counter.queries;
    expect(asked).toBeLessThan(2 + 3 * 50);
    expect(await readAll(read, account, 100)).toEqual(upTo(600, 100));
    expect(counter.queries - asked).toBeLessThanOrEqual(2);
    await append(account, 600, 10);
    expect(await readAll(read, account, 600)).toEqual(upTo(610, 600));
  });

  it('do not answer by a query that began before the notification of a reader', async () => {
    const account = accountOf('grown');
    await append(account, 0, 10);
    const { counter, read } = counted();
    const { promise, resolve } = Promise.withResolvers<void>();
    counter.held = promise;
    const early = readAll(read, account);
    await append(account, 10, 10);
    const late = readAll(read, account);
    counter.held = undefined;
    resolve();
    expect(await late).toEqual(upTo(20));
    expect((await early).slice(0, 10)).toEqual(upTo(10));
  });

  it('end no reader where positions are missing, as after a loss of data (I11)', async () => {
    const account = accountOf('gap');
    await append(account, 0, 200);
    await append(account, 300, 100);
    await append(account, 10_000, 100, 1);
    const { read } = counted();
    const all = [...upTo(200), ...upTo(400, 300), ...upTo(10_101, 10_000)];
    expect(await readAll(read, account)).toEqual(all);
    for (const from of [200, 250, 256, 300, 400, 5_000])
      expect(await readAll(read, account, from)).toEqual(all.filter((position) => position > from));
  });

  it('are forgotten when there are too many, oldest use first, and read again', async () => {
    const account = accountOf('bounded');
    await append(account, 0, 256, 256, 256);
    const { counter, bounded } = counted();
    const oneBlock = 256 * 1_000;
    const read = bounded(oneBlock * 1.5);
    await read(account, 0);
    await read(account, 0);
    expect(counter.queries).toBe(1);
    await read(account, 256);
    await read(account, 0);
    expect(counter.queries).toBe(3);
  });

  it('are read again after a fault of the database', async () => {
    const account = accountOf('fault');
    await append(account, 0, 300);
    let fails = true;
    const query = (async (...given: Parameters<Database['query']>) => {
      if (fails) throw new Error('gone');
      return database.query(...given);
    }) as Database['query'];
    const read = createLogBlocks({ query });
    await expect(read(account, 0)).rejects.toThrow('gone');
    fails = false;
    expect(await readAll(read, account)).toEqual(upTo(300));
  });
});
