import { randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import { createDatabase, type Database } from '@indelible/postgres';
import { type Component, createInternalServer, createLogger, startAll, stopAll } from '@indelible/service-runtime';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forgetRequests } from '../src/requests/forget-requests.ts';
import { schema } from '../src/schema.ts';
import { createRoutes } from '../src/service.ts';
import { findStampFacts } from '../src/statuses/find-stamp-facts.ts';
import { randomCid, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const token = 'a token of twenty characters or more';
let fixture: Fixture;
let account: Hex;
let server: Component & { port(): number };
const serve = (database: Pick<Database, 'query'>) =>
  createInternalServer({
    ...{ host: '127.0.0.1', port: 0, logger, tokens: [token] },
    components: () => [],
    routes: createRoutes({ database, chainId: fixture.chainId, logger }),
  });
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
  server = serve(fixture.database);
  await startAll([server]);
});
afterAll(async () => {
  await stopAll([server]);
  await fixture.dispose();
});

const factsOf = async (id: string) => (await findStampFacts(fixture.database, fixture.chainId, [id])).get(id);
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));

describe('what is known of a stamp', () => {
  it('follows it from its decision to finality, and says what a status resource shows (I6)', async () => {
    const request = stampRequest(account, { set: { kind: 'named', name: 'Statuses' } });
    const { requestId: id, objectCid } = request;
    expect(await factsOf(id)).toBeUndefined();
    await fixture.request(request);
    const accepted = await factsOf(id);
    expect(accepted).toEqual({
      ...{ id, account, objectCid, setCid: expect.stringMatching(/^0x(?!0{64})/), requestedAt: request.requestedAt },
      ...{ status: 'accepted', receipt: null, refusal: null, hasContent: false, wasConfirmed: false },
    });
    const batch = await fixture.sign();
    expect(await factsOf(id)).toEqual({ ...accepted, status: 'submitted' });
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    const confirmed = await factsOf(id);
    expect(confirmed).toEqual({
      ...accepted,
      ...{ status: 'confirmed', wasConfirmed: true },
      receipt: expect.objectContaining({
        ...{ account, objectCid, setCid: accepted?.setCid, chainId: fixture.chainId },
        transactionHash: batch?.transaction.hash,
      }),
    });
    await fixture.finalize();
    expect(await factsOf(id)).toEqual({ ...confirmed, status: 'finalized' });
  });

  it('goes back to submitted, without its receipt, when a reorg takes its block, and on again (I4)', async () => {
    const before = await head();
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    const id = request.requestId;
    expect(await factsOf(id)).toMatchObject({ status: 'confirmed' });
    await fixture.revertTo(before);
    expect(await factsOf(id)).toMatchObject({ status: 'submitted', receipt: null, wasConfirmed: true });
    await fixture.readChain();
    expect(await factsOf(id)).toMatchObject({ status: 'confirmed', receipt: { objectCid: request.objectCid } });
  });

  it('stays submitted while it waits again after its batch was superseded', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const batch = await fixture.sign();
    await fixture.pool.query('update stamping.stamps set resubmissions = 1 where id = $1', [request.requestId]);
    await fixture.pool.query(
      `insert into stamping.waiting_stamps (account, seq, stamp_id) select account, seq, id from stamping.stamps where id = $1`,
      [request.requestId],
    );
    expect(await factsOf(request.requestId)).toMatchObject({ status: 'submitted' });
    await fixture.pool.query('delete from stamping.waiting_stamps where stamp_id = $1', [request.requestId]);
    await fixture.broadcast(batch);
    await fixture.anvil.mine(1);
    await fixture.readChain();
    expect(await factsOf(request.requestId)).toMatchObject({ status: 'confirmed' });
  });

  it('says that it came with content', async () => {
    const objectCid = randomCid();
    const content = { stagedId: randomUUID(), objectCid, size: 1, crc32c: 1, fileName: 'a.txt' };
    const request = stampRequest(account, { objectCid, content });
    await fixture.request(request);
    expect(await factsOf(request.requestId)).toMatchObject({ hasContent: true, wasConfirmed: false });
  });

  it('says why it failed, for ever (I6)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const id = request.requestId;
    const refusal = { code: 'stamp-failed', message: 'the chain refused the commitment' };
    await fixture.pool.query(
      `with gone as (delete from stamping.waiting_stamps where stamp_id = $1)
       update stamping.stamps set status = 'failed', version = 2 where id = $1`,
      [id],
    );
    await fixture.pool.query(
      `insert into stamping.events (stream, version, type, type_version, message_id, data, recorded_at)
       values ('stamp-' || $1::text, 2, 'StampFailed', 2, gen_random_uuid(), $2, now() - interval '90 days')`,
      [id, JSON.stringify({ stampId: id, refusal })],
    );
    await forgetRequests(fixture.database);
    expect(await factsOf(id)).toMatchObject({ status: 'failed', refusal, receipt: null, wasConfirmed: false });
  });
});

describe('what is known of a request that made no stamp', () => {
  it('is the stamp that it joined, and repeated when that was confirmed', async () => {
    const first = stampRequest(account);
    const joining = stampRequest(account, { objectCid: first.objectCid });
    await fixture.request(first, joining);
    expect(await factsOf(joining.requestId)).toMatchObject({ id: first.requestId, status: 'accepted' });
    await fixture.settle();
    const repeating = stampRequest(account, { objectCid: first.objectCid });
    await fixture.request(repeating);
    for (const { requestId } of [joining, repeating])
      expect(await factsOf(requestId)).toEqual(await factsOf(first.requestId));
  });

  it('is why it was refused', async () => {
    const request = stampRequest(account, { set: { kind: 'registered', cid: randomCid() } });
    await fixture.request(request);
    const { requestId: id, objectCid, requestedAt } = request;
    expect(await factsOf(id)).toMatchObject({
      ...{ id, account, objectCid, requestedAt, status: 'failed', receipt: null },
      refusal: { code: 'collection-not-registered', message: expect.any(String) },
    });
  });

  it('is known for 30 days after its decision, and a stamp for ever', async () => {
    const first = stampRequest(account);
    const joining = stampRequest(account, { objectCid: first.objectCid });
    const refused = stampRequest(account, { set: { kind: 'registered', cid: randomCid() } });
    await fixture.request(first, joining, refused);
    const known = async () => {
      const ids = [first, joining, refused].map(({ requestId }) => requestId);
      return (await findStampFacts(fixture.database, fixture.chainId, ids)).size;
    };
    const age = async (days: number): Promise<void> => {
      await fixture.pool.query('update stamping.events set recorded_at = now() - make_interval(days => $1)', [days]);
      await fixture.pool.query(
        'update stamping.relay_cursor set position = (select max(position) from stamping.events)',
      );
      await forgetRequests(fixture.database);
    };
    await age(29);
    expect(await known()).toBe(3);
    await age(31);
    expect(await known()).toBe(1);
  });
});

describe('POST /internal/stamps/lookup', () => {
  const ask = async (body: unknown, { port = server.port(), authorization = `Bearer ${token}` } = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/internal/stamps/lookup`, {
      method: 'POST',
      headers: { authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };

  it('answers each that is known, under the id that was requested', async () => {
    const first = stampRequest(account);
    const joining = stampRequest(account, { objectCid: first.objectCid });
    await fixture.request(first, joining);
    const ids = [joining.requestId, randomUUID(), first.requestId, first.requestId];
    const { status, body } = await ask({ ids });
    expect(status).toBe(200);
    const { stamps } = body as { stamps: { requestedId: string; id: string }[] };
    expect(new Map(stamps.map(({ requestedId, id }) => [requestedId, id]))).toEqual(
      new Map([joining, first].map(({ requestId }) => [requestId, first.requestId])),
    );
  });

  it('is for callers with the token alone', async () => {
    expect(await ask({ ids: [randomUUID()] }, { authorization: 'Bearer another' })).toMatchObject({ status: 401 });
  });

  it.each([
    ['no id', { ids: [] }],
    ['1,001 ids', { ids: Array.from({ length: 1_001 }, () => randomUUID()) }],
    ['what is no id', { ids: ['1'] }],
    ['an id in upper case', { ids: [randomUUID().toUpperCase()] }],
    ['nothing', {}],
  ])('is bounded: %s is a 400 (I12)', async (_what, body) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { details: expect.stringContaining('ids') } });
  });

  it('answers 503 with Retry-After when Postgres is unavailable', async () => {
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const away = createDatabase({ url, schema, applicationName: 'test', logger });
    const broken = serve(away);
    await broken.start();
    const answer = await ask({ ids: [randomUUID()] }, { port: broken.port() });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    await broken.stop();
    await away.close();
  });
});
