import { type Hex, newId } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, recordStatements, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfirmedFact } from '../../src/decisions/facts.ts';
import { createRoutes } from '../../src/service.ts';
import { readRowsOfAll } from '../../src/tables/log.ts';
import { createLogWatch } from '../../src/tables/log-watch.ts';
import { createLogBlocks } from '../../src/use-cases/log-blocks.ts';
import { projectFacts } from '../../src/use-cases/project-facts.ts';
import { connect, expectIndexed, logger, notificationsDatabase, write } from '../support/database.ts';
import { accountOf, receiptOf, stampOf } from '../support/messages.ts';

const origin = { source: 'indelible', publicUrl: 'http://127.0.0.1:8080' };
const statements = recordStatements();
let server: TestDatabase;
let database: Database;
let http: Component & { port(): number };
let watch: ReturnType<typeof createLogWatch>;
beforeAll(async () => {
  server = await notificationsDatabase();
  database = connect(server.url);
  watch = createLogWatch({ url: server.url, logger });
  const routes = createRoutes({ database, watch, readLog: createLogBlocks(database), origin, logger });
  http = createInternalServer({ host: '127.0.0.1', port: 0, logger, components: () => [], routes });
  await startAll([http, watch]);
  await eventually(() => expect(watch.ready?.()).toBe(true));
}, 60_000);
afterAll(async () => {
  await stopAll([http, watch]);
  await database.close();
  await server.drop();
});

/** Two events of each account: stamp.submitted, stamp.confirmed. */
const confirm = (...accounts: Hex[]) =>
  projectFacts(
    database,
    accounts.map((account): ConfirmedFact => {
      const stamp = stampOf({ account });
      const time = '2026-11-21T04:10:08.123Z';
      return { messageId: newId(), time, kind: 'confirmed', batchId: newId(), stamp, receipt: receiptOf(stamp) };
    }),
    write,
  );

type News = {
  readonly logs: readonly { account: Hex; events: readonly { position: number; event: object }[]; next: number }[];
  readonly more: boolean;
};
const post = (body: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${http.port()}/internal/events/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function follow(after: Readonly<Record<Hex, number | null>>, wait = 0): Promise<News> {
  const response = await post({ after, wait });
  expect(response.status).toBe(200);
  return (await response.json()) as News;
}
const positions = ({ logs }: News) =>
  logs.map(({ account, events, next }) => [account, events.map(({ position }) => position), next]);

describe('POST /internal/events/follow', () => {
  it('has what each account has gained behind its position, in the order of the accounts', async () => {
    const [one, two, none] = [accountOf('one'), accountOf('two'), accountOf('none')];
    await confirm(one, two);
    await confirm(one);
    expect(positions(await follow({ [two]: 0, [one]: 1, [none]: 0 }))).toEqual([
      [two, [1, 2], 2],
      [one, [2, 3, 4], 4],
    ]);
    expect(await follow({ [two]: 2, [one]: 4 })).toEqual({ logs: [], more: false });
  });

  it('has where a log ends for an account without a position, at once', async () => {
    const [known, unknown] = [accountOf('known'), accountOf('unknown')];
    await confirm(known);
    const { logs, more } = await follow({ [known]: null, [unknown]: null }, 30_000);
    expect([logs, more]).toEqual([
      [
        { account: known, events: [], next: 2 },
        { account: unknown, events: [], next: 0 },
      ],
      false,
    ]);
  });

  it('waits for the first of them that gains something', async () => {
    const [quiet, loud] = [accountOf('quiet'), accountOf('loud')];
    const waiting = follow({ [quiet]: 0, [loud]: 0 }, 30_000);
    await eventually(async () => {
      const { rowCount } = await server.pool.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and query like '%with ordinality%'`,
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    await confirm(accountOf('another'), loud);
    expect(positions(await waiting)).toEqual([[loud, [1, 2], 2]]);
    expect(await follow({ [quiet]: 0 }, 50)).toEqual({ logs: [], more: false });
  });

  it('says when there is more, and reads it all in pieces; one long log hides no other (I12)', async () => {
    const [long, short] = [accountOf('long'), accountOf('short')];
    for (let row = 0; row < 12; row++) await confirm(long);
    await confirm(short);
    const found = new Map<Hex, number[]>();
    const after: Record<Hex, number> = { [long]: 0, [short]: 0 };
    for (let more = true; more; ) {
      const news = await follow(after);
      for (const { account, events, next } of news.logs) {
        found.set(account, [...(found.get(account) ?? []), ...events.map(({ position }) => position)]);
        after[account] = next;
      }
      ({ more } = news);
      expect(found.get(short)).toEqual([1, 2]);
    }
    expect(found.get(long)).toEqual(Array.from({ length: 24 }, (_, at) => at + 1));
    const few = await readRowsOfAll(database, new Map([[long, 0] as const, [short, 0] as const]), 5, 1);
    expect([few.rows.length, few.more]).toEqual([1, true]);
  });

  it.each([
    [[], 'body'],
    [{ after: {} }, 'wait'],
    [{ after: {}, wait: 99_999_999 }, 'wait'],
    [{ wait: 0 }, 'after'],
    [{ after: { '0x12': 1 }, wait: 0 }, 'after'],
    [{ after: { [accountOf('x')]: -1 }, wait: 0 }, 'after'],
    [{ after: { [accountOf('x')]: '1' }, wait: 0 }, 'after'],
  ])('refuses %j', async (body, field) => {
    const response = await post(body);
    const { details } = (await response.json()) as { details: string };
    expect([response.status, details]).toEqual([400, expect.stringMatching(`^${field}: `)]);
  });
});

describe('the statements of followers', () => {
  it('read no whole table', () => expectIndexed(statements, server.url), 60_000);
});
