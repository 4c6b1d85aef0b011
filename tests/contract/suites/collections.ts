import { beforeAll, describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Answer, Api, Collection } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';
import { expectRefusal } from '../support/refusal.ts';

const cidOf = (content: string): string => `0x${sha3.sha3_256(content)}`;

/** Collections: names, CIDs, conflicts, lists; and the settings of an account. */
export function collections(stack: () => ContractStack, ada: () => Api, eve: () => Api): void {
  const listOf = async (api: Api, query = ''): Promise<readonly Collection[]> => {
    const { status, text } = await api.get(`/collections${query}`);
    expect(status).toBe(200);
    return JSON.parse(text) as Collection[];
  };
  const create = (body: object, api = ada()): Promise<Answer> => api.postJson('/collections', body);

  describe('creating a collection', () => {
    let plain: Answer;
    let full: Answer;
    let decomposed: Answer;
    let nulls: Answer;
    let bidi: Answer;
    let theirs: Answer;
    const given = cidOf('a CID of my own');
    beforeAll(async () => {
      [plain, full, decomposed, nulls, bidi, theirs] = await Promise.all([
        create({ name: '  Field Notes\u00a0' }),
        create({
          name: 'Pinned',
          cid: given.toUpperCase().replace('0X', '0x'),
          description: 'Of mine',
          is_pinned: true,
        }),
        create({ name: 'Re\u0301sume\u0301' }),
        create({ name: 'Nulls', cid: null, description: null }),
        create({ name: 'a\u202eb' }),
        create({ name: 'Field Notes', is_pinned: true }, eve()),
      ]);
    });

    it('is a 201 with every key; the name is trimmed, its CID is the SHA3-256 of that name', () => {
      expect(plain).toMatchObject({ status: 201 });
      expect(plain.body).toEqual({
        id: expect.any(Number),
        name: 'Field Notes',
        cid: cidOf('Field Notes'),
        is_pinned: false,
        is_portfolio: false,
        is_portfolio_collection: false,
        is_public: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/),
        description: null,
      });
      expect(Number.isSafeInteger(plain.body.id)).toBe(true);
    });

    it('keeps the CID in lower case, the description and the pin that are given', () => {
      expect(full).toMatchObject({
        status: 201,
        body: { name: 'Pinned', cid: given, description: 'Of mine', is_pinned: true },
      });
    });

    it('puts the name in NFC, and hashes that', () => {
      expect(decomposed).toMatchObject({
        status: 201,
        body: { name: 'R\u00e9sum\u00e9', cid: cidOf('R\u00e9sum\u00e9') },
      });
    });

    it('takes null for a CID and a description that are not given', () => {
      expect(nulls).toMatchObject({ status: 201, body: { cid: cidOf('Nulls'), description: null } });
    });

    it('keeps bidi marks: they are no control characters', () => {
      expect(bidi).toMatchObject({ status: 201, body: { name: 'a\u202eb', cid: cidOf('a\u202eb') } });
    });

    it('another account may have the same name and CID', () => {
      expect(theirs).toMatchObject({ status: 201, body: { name: 'Field Notes', cid: plain.body.cid } });
    });

    it.each([
      ['the same name', { name: 'Field Notes' }],
      ['the name in another letter case', { name: 'FIELD notes' }],
      ['the name untrimmed', { name: '\tField Notes ' }],
      ['the name with another CID', { name: 'field notes', cid: cidOf('yet another') }],
      ['the NFC twin of a name', { name: 'r\u00e9sum\u00e9' }],
      ['the NFD twin of a name', { name: 'RE\u0301SUME\u0301' }],
      ['another name with a CID that is taken', { name: 'Another', cid: cidOf('Field Notes') }],
    ])('is a 409 for %s', async (_what, body) => {
      const answer = await create(body);
      expectRefusal(answer, 409, 'collection');
      expect(answer.body.error).toBe('collection already exists');
    });

    it('stands on the chain as AddSet of the owner', async () => {
      const logs = await stack().anvil.request<{ topics: string[] }[]>('eth_getLogs', [
        { address: stack().connection.contractAddress, fromBlock: '0x0', toBlock: 'latest' },
      ]);
      const own = logs.filter(({ topics }) =>
        topics.includes(`0x${stack().connection.userAddress.slice(2).toLowerCase().padStart(64, '0')}`),
      );
      expect(own.filter(({ topics }) => topics.includes(given))).toHaveLength(1);
    });

    it('stamping by its CID, or by its name in any letter case, means it', async () => {
      const [byCid, byName] = await Promise.all([
        ada().stamp({ data_cid: cidOf('by CID'), collection_cid: given }),
        ada().stamp({ data_cid: cidOf('by name'), collection_name: ' pINNED' }),
      ]);
      for (const answer of [byCid, byName])
        expect(answer).toMatchObject({ status: 201, body: { commitment_receipt: { set_cid: given } } });
    });

    it('a CID of another account only is not registered, and nothing is stamped', async () => {
      const answer = await eve().stamp({ data_cid: cidOf('not eve'), collection_cid: given });
      expectRefusal(answer, 400, 'collection_cid');
      expect(answer.body.error).toContain(`account: ${given}`);
      const { body } = await eve().postJson('/stamps/verify', { cids: [cidOf('not eve')] });
      expect(body.stamp_list).toEqual([]);
    });

    it('stamping into a new name whose CID another collection has is a 400 that names it', async () => {
      const named = cidOf('Taken name');
      expect((await create({ name: 'Holder of the CID', cid: named })).status).toBe(201);
      expectRefusal(await ada().stamp({ data_cid: cidOf('x'), collection_name: 'Taken name' }), 400, /collection|CID/);
    });

    it('stamping into a name the account does not have creates that collection, unpinned and public', async () => {
      const answer = await ada().stamp({ data_cid: cidOf('into a new one'), collection_name: 'Made by stamping' });
      expect(answer.status).toBe(201);
      expect((await listOf(ada()))[0]).toMatchObject({
        name: 'Made by stamping',
        cid: cidOf('Made by stamping'),
        is_pinned: false,
        is_public: true,
        description: null,
      });
    });
  });

  describe('listing collections', () => {
    it("lists the caller's own, newest first", async () => {
      const list = await listOf(ada());
      const times = list.map((one) => Date.parse(one.created_at as string));
      expect(times).toEqual([...times].sort((a, b) => b - a));
      expect(list.filter(({ name }) => name === 'Field Notes')).toHaveLength(1);
    });

    it('with a limit comes page by page, each with a Link to the next', async () => {
      const whole = await listOf(ada());
      const names: unknown[] = [];
      for (let next: string | undefined = '/collections?limit=2'; next !== undefined; ) {
        const { status, text, headers } = await ada().get(next);
        expect(status).toBe(200);
        names.push(...(JSON.parse(text) as Collection[]).map(({ name }) => name));
        next = /<[^>]*(\/collections\?[^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
      }
      expect(names).toEqual(whole.map(({ name }) => name));
      expect(names.length).toBeGreaterThan(2);
    });

    it.each([
      ['true', true],
      ['True', true],
      ['1', true],
      ['false', false],
      ['FALSE', false],
      ['0', false],
    ])('is_pinned=%s filters', async (text, pinned) => {
      const list = await listOf(ada(), `?is_pinned=${text}`);
      expect(list.length).toBeGreaterThan(0);
      expect(new Set(list.map(({ is_pinned }) => is_pinned))).toEqual(new Set([pinned]));
    });

    it("another account's address lists its public ones, in whatever letter case the address comes", async () => {
      const address = stack().connection.userAddress;
      const own = await listOf(ada());
      for (const written of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
        expect(await listOf(eve(), `?user_address=${written}`)).toEqual(own);
      expect(await listOf(ada(), `?user_address=${address}`)).toEqual(own);
      expect(await listOf(eve(), `?user_address=${address}&is_pinned=true`)).toMatchObject([{ name: 'Pinned' }]);
    });

    it('an address no account has is a 404', async () => {
      const answer = await ada().get('/collections?user_address=0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359');
      expectRefusal(answer, 404, /user/i);
    });
  });

  describe('GET /users/me', () => {
    it('answers the ten keys of AccountSettings, nothing masked', async () => {
      const { status, body } = await eve().get('/users/me');
      expect(status).toBe(200);
      expect(body).toEqual({
        name: 'Eve',
        email: 'eve@example.com',
        persistent_id: expect.any(String),
        description: expect.any(String),
        display_timezone: 'UTC',
        date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        last_address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        last_name: expect.any(String),
        last_is_verified: expect.any(Boolean),
        storage_type: 'local',
      });
    });
  });
}
