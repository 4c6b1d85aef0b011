import { checksumAddress, cidOfCollectionName, cidOfContent } from '@indelible/identifiers';
import type { CreateCollection, Refusal } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { components } from '../src/api/generated/openapi.ts';
import { type Account, type AnyBody, type Gateway, type GatewayResponse, startGateway } from './gateway-harness.ts';

type Collection = components['schemas']['Collection'];

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

const create = (
  body: object,
  who = ada,
  base = gateway.base,
): Promise<GatewayResponse<Partial<Collection> & AnyBody>> =>
  gateway.send(who, `${base}/collections`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
const list = (query = '', who = ada): Promise<GatewayResponse<Collection[]>> =>
  gateway.send(who, `/collections${query}`);

/** Registers what is requested, confirms it and replies. */
const createAll = (): void =>
  gateway.stamping.scriptCollections(async ({ requestId, account, name, cid, description, isPinned, replyTo }) => {
    const registered = await gateway.stamping.registerCollection(account, name, {
      description,
      isPinned,
      ...(cid === null ? {} : { cid }),
    });
    await gateway.stamping.confirmCollection(account, registered.collectionId, registered.cid);
    await gateway.stamping.reply(replyTo, { requestId, kind: 'collection-created', account, ...registered });
  });

describe('POST /collections', () => {
  it('answers 201 with every key when the collection is on the chain', async () => {
    createAll();
    expect(await create({ name: '  Forest ', description: null, cid: null })).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        name: 'Forest',
        cid: cidOfCollectionName('Forest'),
        is_pinned: false,
        is_portfolio: false,
        is_portfolio_collection: false,
        is_public: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        description: null,
      },
    });
  });

  it('keeps the CID, description and pin that are given', async () => {
    createAll();
    const cid = cidOfContent('own');
    const given = { name: 'Own', cid: `0x${cid.slice(2).toUpperCase()}`, description: 'mine', is_pinned: true };
    expect(await create(given)).toMatchObject({ status: 201, body: { cid, description: 'mine', is_pinned: true } });
  });

  it('is a 409 for a name or a CID that the account has, and none for another account', async () => {
    createAll();
    await create({ name: 'Once' });
    const cid = cidOfCollectionName('Once');
    for (const [again, details] of [
      [{ name: 'ONCE' }, 'name: Once'],
      [{ name: 'Another', cid }, `cid: ${cid}`],
    ] as const)
      expect(await create(again)).toMatchObject({ status: 409, body: { error: 'collection already exists', details } });
    expect((await create({ name: 'Once' }, await gateway.openAccount('Bob'))).status).toBe(201);
  });

  it('is a 409 when stamping knows better than the read model', async () => {
    gateway.stamping.scriptCollections(({ requestId, replyTo }) =>
      gateway.stamping.reply(replyTo, {
        requestId,
        kind: 'refused',
        refusal: { code: 'collection-exists', message: 'name: the account already has it' },
      }),
    );
    expect(await create({ name: 'Raced' })).toMatchObject({
      status: 409,
      body: { error: 'collection already exists', details: 'name: the account already has it' },
    });
  });

  /**
   * The first of a name is registered, and created when the test decides; differing ones are refused, or never
   * answered.
   */
  function createFirst(differing: 'refused' | 'unanswered'): () => void {
    const released = Promise.withResolvers<void>();
    let first: CreateCollection | undefined;
    gateway.stamping.scriptCollections(async (command) => {
      const { requestId, account, name, cid, description, isPinned, replyTo } = command;
      if (first === undefined) {
        first = command;
        const own = cid === null ? {} : { cid };
        const registered = await gateway.stamping.registerCollection(account, name, { description, isPinned, ...own });
        await released.promise;
        await gateway.stamping.confirmCollection(account, registered.collectionId, registered.cid);
        return;
      }
      const isSame = first.cid === cid && first.description === description && first.isPinned === isPinned;
      if (isSame || differing === 'unanswered') return;
      const refusal: Refusal = { code: 'collection-exists', message: `name: the account already has ${name}` };
      await gateway.stamping.reply(replyTo, { requestId, kind: 'refused', refusal });
    });
    return released.resolve;
  }
  let other = '';
  const otherReplica = async (): Promise<string> => {
    if (other === '') other = await gateway.startReplica();
    return other;
  };
  let names = 0;
  const differences = [
    ['description', { description: 'one' }, { description: 'another' }],
    ['pin', { is_pinned: true }, {}],
    ['CID', { cid: cidOfContent('one') }, { cid: cidOfContent('another') }],
  ] as const;

  describe.each([
    ['one gateway', async () => gateway.base],
    ['two gateways', otherReplica],
  ])('of one name at once, in %s', (_where, there) => {
    it.each(differences)(
      'with another %s: a 409 at once, and a 201 when it is on the chain',
      async (_what, one, another) => {
        const name = `Raced ${names++}`;
        const release = createFirst('refused');
        const requests = [create({ name, ...one }), create({ name, ...another }, ada, await there())];
        expect(await Promise.race(requests)).toMatchObject({
          status: 409,
          body: { error: 'collection already exists' },
        });
        release();
        const answers = await Promise.all(requests);
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
        const wanted = answers[0]?.status === 201 ? one : another;
        expect(answers.find(({ status }) => status === 201)?.body).toMatchObject({ name, ...wanted });
      },
    );

    it('with another description whose refusal is lost: a 201 and a 409, each from the read model', async () => {
      const name = `Raced ${names++}`;
      const release = createFirst('unanswered');
      const before = gateway.stamping.collectionCommands.length;
      const requests = [
        create({ name, description: 'one' }),
        create({ name, description: 'another' }, ada, await there()),
      ];
      await eventually(() => expect(gateway.stamping.collectionCommands).toHaveLength(before + 2));
      release();
      const answers = await Promise.all(requests);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
      const created = answers.findIndex(({ status }) => status === 201);
      expect(answers[created]?.body.description).toBe(created === 0 ? 'one' : 'another');
    });

    it('with the same body twice: both wait for the one collection and are a 201', async () => {
      const body = { name: `Raced ${names++}`, description: 'the same', is_pinned: true };
      const release = createFirst('refused');
      const before = gateway.stamping.collectionCommands.length;
      const requests = [create(body), create(body, ada, await there())];
      await eventually(() => expect(gateway.stamping.collectionCommands).toHaveLength(before + 2));
      release();
      const answers = await Promise.all(requests);
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      expect(answers[1]?.body).toEqual(answers[0]?.body);
    });
  });

  it('waits again for a collection that is registered and not created', async () => {
    const { collectionId, cid } = await gateway.stamping.registerCollection(ada.account, 'Waiting');
    gateway.stamping.scriptCollections(() => gateway.stamping.confirmCollection(ada.account, collectionId, cid));
    expect(await create({ name: 'waiting' })).toMatchObject({
      status: 201,
      body: { id: collectionId, name: 'Waiting' },
    });
  });

  it.each([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of white space', { name: ' \t' }, 'name'],
    ['a name that is no text', { name: 7 }, 'name'],
    ['a name with a slash', { name: 'a/b' }, 'name'],
    ['a name too long', { name: 'é'.repeat(128) }, 'name'],
    ['a malformed CID', { name: 'a', cid: '0x12' }, 'cid'],
    ['the zero CID', { name: 'a', cid: `0x${'0'.repeat(64)}` }, 'cid'],
    ['an empty description', { name: 'a', description: '' }, 'description'],
    ['a pin that is text', { name: 'a', is_pinned: 'true' }, 'is_pinned'],
    ['an unknown key', { name: 'a', colour: 'red' }, 'colour'],
  ])('with %s is a 400 that names the field', async (_what, body, field) => {
    const answer = await create(body);
    expect(answer.status).toBe(400);
    expect(`${answer.body.error} ${answer.body.details ?? ''}`).toContain(field);
  });
});

describe('GET /collections', () => {
  it("lists the caller's own, newest first, and filters by pin", async () => {
    const eve = await gateway.openAccount('Eve');
    await gateway.stamping.registerCollection(eve.account, 'First', { isPinned: true });
    await gateway.stamping.registerCollection(eve.account, 'Second', { isPublic: false });
    await eventually(async () =>
      expect((await list('', eve)).body.map(({ name }) => name)).toEqual(['Second', 'First']),
    );
    expect((await list('?is_pinned=TRUE', eve)).body.map(({ name }) => name)).toEqual(['First']);
    expect((await list('/?is_pinned=0', eve)).body.map(({ name }) => name)).toEqual(['Second']);
    for (const address of [eve.account, checksumAddress(eve.account)])
      expect((await list(`?user_address=${address}`)).body.map(({ name }) => name)).toEqual(['First']);
    expect((await list(`?user_address=${eve.account}`, eve)).body).toHaveLength(2);
  });

  /** Collections of an account; every third was registered at the same time as the previous one. */
  const registerMany = (account: string, count: number) =>
    gateway.pool.query(
      `insert into gateway.collections (id, account, cid, name, folded_name, is_pinned, is_public, registered_at)
       select 1000000000 + (select count(*) from gateway.collections) + i, $1, '0x' || encode(sha256((i || $1)::bytea), 'hex'), 'n' || i, 'n' || i, i % 2 = 0, i % 5 > 0,
         timestamptz '2026-01-01' + (i - i / 3) * interval '1 millisecond'
       from generate_series(1, $2::int) as i`,
      [account, count],
    );
  const nextOf = (answer: GatewayResponse<unknown>): string | undefined =>
    /^<[^>]*\/collections(\?[^>]*)>; rel="next"$/.exec(answer.headers.get('Link') ?? '')?.[1];

  it('with a limit comes page by page: each collection once, in the order of the whole list', async () => {
    const rita = await gateway.openAccount('Rita');
    await registerMany(rita.account, 250);
    const whole = (await list('', rita)).body.map(({ name }) => name);
    expect([whole.length, whole[0], whole.at(-1)]).toEqual([250, 'n250', 'n1']);
    for (const [filter, limit] of [
      ['', 1_000],
      ['', 250],
      ['', 120],
      ['is_pinned=true&', 7],
      [`user_address=${rita.account}&`, 249],
    ] as const) {
      const names: string[] = [];
      for (let next: string | undefined = `?${filter}limit=${limit}`; next !== undefined; ) {
        const page: GatewayResponse<{ name: string }[]> = await list(next, rita);
        expect(page.body.length).toBeGreaterThan(0);
        expect(page.body.length).toBeLessThanOrEqual(limit);
        names.push(...page.body.map(({ name }) => name));
        next = nextOf(page);
      }
      const wanted = whole.filter((name) => !filter.startsWith('is_pinned') || Number(name.slice(1)) % 2 === 0);
      expect(names).toEqual(wanted);
    }
  }, 60_000);

  it('of another account shows only the public ones, page by page', async () => {
    const sid = await gateway.openAccount('Sid');
    await registerMany(sid.account, 30);
    const page = await list(`?user_address=${sid.account}&limit=24`);
    expect([page.body.length, nextOf(page)]).toEqual([24, undefined]);
    expect(nextOf(await list(`?user_address=${sid.account}&limit=23`))).toContain('cursor=');
  });

  it('of 100,000 collections is streamed whole, and a later request is answered meanwhile (I12)', async () => {
    const many = await gateway.openAccount('Many');
    await registerMany(many.account, 100_000);
    const whole = list('', many);
    expect((await list('')).status).toBe(200);
    const { body, headers } = await whole;
    expect(body).toHaveLength(100_000);
    expect(new Set(body.map(({ name }) => name)).size).toBe(100_000);
    expect(headers.get('Content-Length')).toBeNull();
  }, 120_000);

  it('of an address without an account is a 404', async () => {
    expect(await list(`?user_address=0x${'9'.repeat(40)}`)).toMatchObject({
      status: 404,
      body: { error: 'User not found' },
    });
  });

  it.each([
    ['user_address=0x12', 'user_address'],
    ['user_address=', 'user_address'],
    ['user_address=0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eb48x', 'user_address'],
    ['user_address=0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eb48', 'user_address'],
    ['is_pinned=yes', 'is_pinned'],
    ['is_pinned=', 'is_pinned'],
    ['is_pinned', 'is_pinned'],
    ['is_pinned=1&is_pinned=1', 'is_pinned'],
    ['colour=red', 'colour'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=true', 'limit'],
    ['limit=', 'limit'],
    ['cursor=', 'cursor'],
    ['cursor=abc', 'cursor'],
    ['limit=1&limit=1', 'limit'],
    ['is_pinned=%zz', 'is_pinned'],
    ['is_pinned=%ff', 'is_pinned'],
  ])('with ?%s is a 400 that names the parameter', async (query, name) => {
    const answer: GatewayResponse<AnyBody> = await gateway.send(ada, `/collections?${query}`);
    expect(answer.status).toBe(400);
    expect(`${answer.body.error} ${answer.body.details ?? ''}`).toContain(name);
  });
});
