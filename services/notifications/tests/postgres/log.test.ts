import { type Hex, newId } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { type Component, createInternalServer, startAll, stopAll } from '@indelible/service-runtime';
import { eventually, recordStatements, type TestDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfirmedFact, Fact, FinalizedFact, Stamp } from '../../src/decisions/facts.ts';
import { createRoutes } from '../../src/service.ts';
import { createLogWatch } from '../../src/tables/log-watch.ts';
import { oldestUnpublished, unpublishedRows } from '../../src/tables/unpublished.ts';
import { createLogBlocks } from '../../src/use-cases/log-blocks.ts';
import { projectFacts } from '../../src/use-cases/project-facts.ts';
import { forgetOld, reportLateFiles, reportLateSubmissions } from '../../src/use-cases/tend-memory.ts';
import { connect, expectIndexed, logger, notificationsDatabase, write } from '../support/database.ts';
import { accountOf, hash, receiptOf, stampOf } from '../support/messages.ts';

const statements = recordStatements();
const origin = { source: 'indelible', publicUrl: 'http://127.0.0.1:8080' };
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

const time = '2026-11-21T04:10:08.123Z';
const envelope = () => ({ messageId: newId(), time });
const confirmedFact = (stamp: Stamp, batchId = newId()): ConfirmedFact => ({
  ...envelope(),
  kind: 'confirmed',
  batchId,
  stamp,
  receipt: receiptOf(stamp),
});
const finalizedFact = (batchId: string, stamps: readonly Stamp[]): FinalizedFact => ({
  ...envelope(),
  kind: 'finalized',
  batchId,
  blockHash: hash('block 1'),
  stampIds: stamps.map(({ stampId }) => stampId),
});
const stored = (stamp: Stamp): Fact => ({
  ...envelope(),
  kind: 'file-stored',
  stamp,
  fileName: 'a.txt',
  filePath: 'b/a.txt',
  withStamp: true,
});
const projectAll = (...facts: Fact[]) => projectFacts(database, facts, write);

type Page = {
  readonly events: readonly {
    readonly position: number;
    readonly event: { type: string; sequence: string; subject: string; data: object };
  }[];
  readonly next: number;
  readonly more: boolean;
};
const read = async (account: Hex, parameters: Record<string, string> = {}): Promise<Page> => {
  const response = await fetch(
    `http://127.0.0.1:${http.port()}/internal/events?${new URLSearchParams({ account, ...parameters })}`,
  );
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
};
const names = (page: Page): string[] =>
  page.events.map(({ event }) => event.type.replace(/^com\.indelible\.|\.v1$/g, ''));

describe('GET /internal/events', () => {
  it('has pages of an account, each going on where the one before ended', async () => {
    const account = accountOf('pages');
    const stamps = Array.from({ length: 130 }, () => stampOf({ account }));
    await projectAll(...stamps.map((stamp) => confirmedFact(stamp)));
    const positions: number[] = [];
    let after = 0;
    for (let more = true; more; ) {
      const page = await read(account, { after: String(after), limit: '70' });
      positions.push(...page.events.map(({ position }) => position));
      ({ next: after, more } = page);
    }
    expect(positions).toEqual(Array.from({ length: 260 }, (_, at) => at + 1));
    expect(await read(account, { after: '260' })).toEqual({ events: [], next: 260, more: false });
  });

  it('has nothing of another account', async () => {
    await projectAll(confirmedFact(stampOf({ account: accountOf('one') })));
    expect(names(await read(accountOf('none')))).toEqual([]);
  });

  it('filters by type and collection, and its cursor passes what it leaves out', async () => {
    const account = accountOf('filters');
    await projectAll(
      confirmedFact(stampOf({ account })),
      confirmedFact(stampOf({ account, setCid: hash('Sea'), collectionName: 'Sea' })),
    );
    const page = await read(account, { types: 'stamp.confirmed,stamp.failed', collections: hash('Sea') });
    expect(page).toMatchObject({ events: [{ position: 4, event: { sequence: '2' } }], next: 4 });
    expect(await read(account, { types: 'stamp.failed' })).toMatchObject({ events: [], next: 4 });
  });

  it('begins with what came since a time', async () => {
    const account = accountOf('since');
    const [before, behind] = [stampOf({ account }), stampOf({ account })];
    await projectAll(confirmedFact(before));
    const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
    await projectAll(confirmedFact(behind));
    const page = await read(account, { since: rows[0]!.now.toISOString() });
    expect(page.events.at(-1)?.event.subject).toBe(behind.stampId);
    const none = await read(account, { since: '2999-01-01T00:00:00+00:00' });
    expect(none).toMatchObject({ events: [], next: 4 });
  });

  it('answers a reader that waits when an event comes, and one in vain when its time is over', async () => {
    const account = accountOf('waits');
    const waiting = read(account, { wait: '30000' });
    await eventually(async () => {
      const { rowCount } = await server.pool.query(
        `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
           and query like '%from log where%'`,
      );
      expect(rowCount).toBeGreaterThan(0);
    });
    await projectAll(confirmedFact(stampOf({ account })));
    expect(names(await waiting)).toEqual(['stamp.submitted', 'stamp.confirmed']);
    expect(await read(account, { after: '2', wait: '50' })).toEqual({ events: [], next: 2, more: false });
  });

  it.each([
    ['account=0x12', 'account'],
    ['types=stamp.lost', 'types'],
    ['collections=forest', 'collections'],
    ['limit=0', 'limit'],
    ['wait=99999999', 'wait'],
    ['after=-1', 'after'],
    ['types=stamp.failed&types=stamp.confirmed', 'types'],
    ['since=yesterday', 'since'],
    ['since=2026-01-01T00:00:00Z&after=1', 'since'],
  ])('refuses %s', async (query, field) => {
    const account = query.startsWith('account') ? '' : `account=${accountOf('x')}&`;
    const response = await fetch(`http://127.0.0.1:${http.port()}/internal/events?${account}${query}`);
    const { details } = (await response.json()) as { details: string };
    expect([response.status, details]).toEqual([400, expect.stringMatching(`^${field}: `)]);
  });
});

describe('the projection', () => {
  it('takes a message once, delivered again in this transaction or a later one (I5)', async () => {
    const account = accountOf('twice');
    const fact = confirmedFact(stampOf({ account }));
    await projectAll(fact, fact);
    await projectAll(fact);
    expect(names(await read(account))).toEqual(['stamp.submitted', 'stamp.confirmed']);
  });

  it('numbers each collection without gaps while transactions run side by side', async () => {
    const account = accountOf('side by side');
    const stamps = Array.from({ length: 40 }, (_, at) =>
      stampOf({ account, setCid: hash(`set ${at % 2}`), collectionName: `set ${at % 2}` }),
    );
    await Promise.all(stamps.flatMap((stamp) => [projectAll(stored(stamp)), projectAll(confirmedFact(stamp))]));
    const { events } = await read(account, { limit: '1000' });
    expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    for (const set of [0, 1]) {
      const page = await read(account, { limit: '1000', collections: hash(`set ${set}`) });
      expect(page.events.map(({ event }) => Number(event.sequence))).toEqual(
        Array.from({ length: 60 }, (_, at) => at + 1),
      );
    }
  });

  it('dead-letters an unregistered collection until it is registered', async () => {
    const created: Fact = {
      ...envelope(),
      kind: 'collection-created',
      ...{
        account: accountOf('c'),
        setCid: hash('C'),
        chainId: 1,
        transactionHash: hash('t'),
        blockNumber: 7,
        blockTime: 9,
      },
    };
    await expect(projectAll(created)).rejects.toMatchObject({ retryable: false });
    const collection = {
      account: accountOf('c'),
      setCid: hash('C'),
      name: 'C',
      description: 'of C',
      isPinned: true,
      isPublic: false,
    };
    await projectAll({ ...envelope(), kind: 'collection-registered', collection });
    await projectAll(created);
    expect(names(await read(accountOf('c')))).toEqual(['collection.created']);
  });

  it('forgets settled batches after 30 days, and none whose stamps are not final', async () => {
    const [open, settled] = [newId(), newId()];
    const stamp = stampOf({ account: accountOf('old') });
    await projectAll(confirmedFact(stamp, open), {
      ...envelope(),
      kind: 'submitted',
      batchId: settled,
      part: 1,
      parts: 1,
      stamps: [stamp],
    });
    await projectAll({ ...envelope(), kind: 'failed', stamp, refusal: { code: 'x', message: 'y' } });
    const days = (count: number) => new Date(Date.now() + count * 86_400_000);
    const kept = async () => {
      const { rows } = await server.pool.query('select batch_id from notifications.batches where batch_id = any($1)', [
        [open, settled],
      ]);
      return rows.map((row) => row.batch_id);
    };
    await forgetOld(database, days(29));
    expect(await kept()).toHaveLength(2);
    expect(await forgetOld(database, days(31))).toBeGreaterThan(0);
    expect(await kept()).toEqual([open]);
  });

  it('reports a file whose confirmation does not come after a day', async () => {
    const stamp = stampOf({ account: accountOf('lonely') });
    await projectAll(stored(stamp));
    expect(await reportLateFiles(database, write, new Date())).toEqual([]);
    expect(await reportLateFiles(database, write, new Date(Date.now() + 25 * 3_600_000))).toHaveLength(1);
    expect(names(await read(stamp.account))).toEqual(['file.stored']);
  });

  it('reports every file of a stamp that had more of them than one transaction takes, and each once', async () => {
    const stamp = stampOf({ account: accountOf('a thousand files and more') });
    const files = Array.from({ length: 1_003 }, () => stored(stamp));
    await projectAll(...files);
    const confirmed = await projectAll(confirmedFact(stamp));
    expect(confirmed.filter(({ event }) => event.name === 'file.stored')).toHaveLength(1_000);
    const late = await reportLateFiles(database, write, new Date(Date.now() + 25 * 3_600_000));
    expect(late.filter(({ account }) => account === stamp.account)).toHaveLength(3);
    const ids = [...confirmed, ...late].map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('finality', () => {
  const dataOf = (page: Page, name: string, { stampId }: Stamp): object | undefined =>
    page.events.find(({ event }) => event.subject === stampId && event.type.includes(name))?.event.data;

  it('says what each confirmation said, however many transactions before, and once', async () => {
    const [one, other] = [accountOf('final one'), accountOf('final other')];
    const stamps = Array.from({ length: 6 }, (_, at) => stampOf({ account: at % 3 === 0 ? other : one }));
    const batchId = newId();
    await projectAll(...stamps.slice(0, 4).map((stamp) => confirmedFact(stamp, batchId)));
    await projectAll(...stamps.slice(4).map((stamp) => confirmedFact(stamp, batchId)));
    await projectAll(finalizedFact(batchId, stamps.slice(0, 2)));
    await projectAll(finalizedFact(batchId, stamps.slice(2)));
    const pages = { [one]: await read(one), [other]: await read(other) };
    for (const stamp of stamps) {
      const page = pages[stamp.account]!;
      expect(dataOf(page, 'finalized', stamp)).toMatchObject(dataOf(page, 'confirmed', stamp)!);
    }
    expect([one, other].map((account) => names(pages[account]!).length)).toEqual([12, 6]);
  });

  it('of stamps whose confirmations a former release noted in the batch has what was noted', async () => {
    const [stamp, other] = [stampOf({ account: accountOf('noted') }), stampOf({ account: accountOf('noted') })];
    const batchId = newId();
    const confirmation = { stamp, receipt: receiptOf(stamp) };
    await server.pool.query('insert into notifications.batches (batch_id, state, open_stamps) values ($1, $2, 1)', [
      batchId,
      { submitted: true, parts: [], announced: [], confirmed: { [stamp.stampId]: confirmation }, finals: [] },
    ]);
    await projectAll(confirmedFact(other, batchId));
    await projectAll(finalizedFact(batchId, [stamp, other]));
    const page = await read(stamp.account);
    expect(names(page)).toEqual(['stamp.confirmed', 'stamp.finalized', 'stamp.finalized']);
    expect(dataOf(page, 'finalized', stamp)).toMatchObject({
      object_cid: stamp.objectCid,
      client_ref: stamp.clientRef,
    });
    expect(dataOf(page, 'finalized', other)).toMatchObject(dataOf(page, 'confirmed', other)!);
  });
});

describe('a second submission', () => {
  const submission = (stamp: Stamp, attempt: number, reversions: number, batchId = newId()): Fact => ({
    ...envelope(),
    ...{ kind: 'submitted', batchId, part: 1, parts: 1, stamps: [{ ...stamp, place: { attempt, reversions } }] },
  });
  const reversion = (stamp: Stamp): Fact => ({
    ...envelope(),
    ...{ kind: 'reverted', batchId: newId(), stamp, receipt: receiptOf(stamp) },
  });
  const firsts = ['stamp.submitted', 'stamp.confirmed'];

  it('waits for the reversion, in another transaction, and is reported once (I4)', async () => {
    const stamp = stampOf({ account: accountOf('second') });
    const batchId = newId();
    await projectAll(submission(stamp, 1, 0, batchId));
    await projectAll(submission(stamp, 2, 1));
    await projectAll(confirmedFact(stamp, batchId));
    expect(names(await read(stamp.account))).toEqual(firsts);
    await projectAll(reversion(stamp));
    expect(names(await read(stamp.account))).toEqual([...firsts, 'stamp.reverted', 'stamp.submitted']);
    expect(await reportLateSubmissions(database, write, new Date(Date.now() + 25 * 3_600_000))).toEqual([]);
  });

  it('is reported without its reversion after a day, and what is remembered goes after 30', async () => {
    const stamp = stampOf({ account: accountOf('no reversion') });
    await projectAll(confirmedFact(stamp));
    await projectAll(submission(stamp, 2, 1));
    const noted = async () =>
      (await server.pool.query('select from notifications.stamp_order where stamp_id = $1', [stamp.stampId])).rowCount;
    expect(await reportLateSubmissions(database, write, new Date())).toEqual([]);
    expect(await reportLateSubmissions(database, write, new Date(Date.now() + 25 * 3_600_000))).toHaveLength(1);
    expect(names(await read(stamp.account))).toEqual([...firsts, 'stamp.submitted']);
    expect(await noted()).toBe(1);
    await forgetOld(database, new Date(Date.now() + 31 * 86_400_000));
    expect(await noted()).toBe(0);
  });

  it('that is overtaken by the confirmation through a later one is left out', async () => {
    const stamp = stampOf({ account: accountOf('overtaken') });
    const batchId = newId();
    await projectAll(confirmedFact(stamp, batchId));
    await projectAll(submission(stamp, 1, 0));
    await projectAll(submission(stamp, 2, 0, batchId));
    expect(names(await read(stamp.account))).toEqual(firsts);
  });
});

describe('what is unpublished', () => {
  it('is read in its order, held back by account, and gone once it is published', async () => {
    await server.pool.query('truncate notifications.unpublished');
    const outbox = unpublishedRows(database);
    const [one, two] = [accountOf('one'), accountOf('two')];
    for (const account of [one, two, one]) await projectAll(confirmedFact(stampOf({ account })));
    const bound = { events: 10, bytes: 1_000_000 };
    const rows = await outbox.read(bound, []);
    expect(rows.map(({ stream }) => stream)).toEqual([one, two, one]);
    expect(await oldestUnpublished(database)).toBeGreaterThan(0);
    await outbox.hold(rows.filter(({ stream }) => stream === one));
    expect((await outbox.read(bound, [])).map(({ stream }) => stream)).toEqual([two]);
    expect(await outbox.heldStreams(10)).toEqual([one]);
    expect(await outbox.readHeld(one, bound)).toEqual(rows.filter(({ stream }) => stream === one));
    await outbox.released(rows);
    expect([await outbox.read(bound, []), await oldestUnpublished(database)]).toEqual([[], 0]);
  });
});

describe('the statements of this service', () => {
  it('read no whole table', () => expectIndexed(statements, server.url), 60_000);
});
