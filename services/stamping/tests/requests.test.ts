import { randomUUID } from 'node:crypto';
import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import {
  PlainRequestJoined,
  PlainRequestRefused,
  RequestStamp,
  StampRequestJoined,
  StampRequestRefused,
} from '@indelible/messages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { collectionRequest, incoming, randomCid, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture, hexOf } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
});
afterAll(() => fixture.dispose());

const stampsOf = (objectCid: Hex) =>
  fixture.rows('select id, status, set_cid from stamps where object_cid = $1', [
    Buffer.from(objectCid.slice(2), 'hex'),
  ]);

describe('requests for one identity', () => {
  it('in one batch make one stamp, which the others join (I2)', async () => {
    const first = stampRequest(account);
    const others = Array.from({ length: 4 }, () => stampRequest(account, { objectCid: first.objectCid }));
    const { replies, counts } = await fixture.request(first, ...others);
    expect(counts).toMatchObject({ new: 1, joined: 4 });
    expect(replies.map(({ reply }) => reply)).toEqual([
      { requestId: first.requestId, kind: 'decided', decision: 'new', stampId: first.requestId },
      ...others.map(({ requestId }) => ({ requestId, kind: 'decided', decision: 'joined', stampId: first.requestId })),
    ]);
    expect(await stampsOf(first.objectCid)).toHaveLength(1);
  });

  it('handled by two replicas at once make one stamp (I2)', async () => {
    const objectCid = randomCid();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => fixture.request(stampRequest(account, { objectCid }), stampRequest(account))),
    );
    expect(await stampsOf(objectCid)).toHaveLength(1);
    const made = outcomes
      .flatMap(({ replies }) => replies)
      .filter(({ reply }) => reply.kind === 'decided' && reply.decision === 'new');
    expect(made).toHaveLength(1 + 8);
  });

  it('that bring no content and make no stamp have events of their own: storage reads none of them', async () => {
    const first = stampRequest(account);
    const content = {
      ...{ stagedId: randomUUID(), objectCid: first.objectCid, size: 1, crc32c: 1 },
      fileName: 'a.txt',
    };
    const unknownSet = { kind: 'registered', cid: randomCid() } as const;
    await fixture.request(first);
    const [plain, full] = [null, content].map((brought) => ({
      joined: stampRequest(account, { objectCid: first.objectCid, content: brought }),
      refused: stampRequest(account, { set: unknownSet, content: brought }),
    })) as [Record<'joined' | 'refused', RequestStamp>, Record<'joined' | 'refused', RequestStamp>];
    await fixture.request(plain.joined, plain.refused, full.joined, full.refused);
    const toldOf = async ({ requestId }: RequestStamp) =>
      fixture.rows('select type, type_version, data from events where stream = $1', [`request-${requestId}`]);
    expect(await toldOf(plain.joined)).toEqual([
      {
        ...{ type: 'StampRequestJoined', type_version: PlainRequestJoined.version },
        data: { requestId: plain.joined.requestId, stampId: first.requestId, account },
      },
    ]);
    expect(await toldOf(full.joined)).toMatchObject([{ type_version: StampRequestJoined.version, data: { content } }]);
    const [refused] = await toldOf(plain.refused);
    expect(refused).toMatchObject({ type: 'StampRequestRefused', type_version: PlainRequestRefused.version });
    expect(refused?.data).not.toHaveProperty('content');
    expect(await toldOf(full.refused)).toMatchObject([
      { type_version: StampRequestRefused.version, data: { content } },
    ]);
  });

  it('make one stamp each with idempotent=false', async () => {
    const objectCid = randomCid();
    await fixture.request(...Array.from({ length: 3 }, () => stampRequest(account, { objectCid, idempotency: null })));
    expect(await stampsOf(objectCid)).toHaveLength(3);
  });

  it('take effect once, however often they are delivered (I5)', async () => {
    const message = incoming(RequestStamp, stampRequest(account, { idempotency: null }));
    const dependencies = {
      database: fixture.database,
      chainId: fixture.chainId,
      now: Date.now,
      intake: fixture.intake,
    };
    await handleStampRequests(dependencies, [message, message]);
    const again = await handleStampRequests(dependencies, [message]);
    expect(again.replies).toEqual([]);
    expect(await stampsOf(message.data.objectCid)).toHaveLength(1);
  });
});

describe('a collection that requests name', () => {
  it('is one collection, whatever the letter case and however many ask at once', async () => {
    const objectCid = randomCid();
    await Promise.all(
      ['Holiday', 'HOLIDAY', 'holiday', 'Holiday'].map((name) =>
        fixture.request(
          stampRequest(account, { objectCid, set: { kind: 'named', name }, setCidHint: cidOfCollectionName(name) }),
        ),
      ),
    );
    const collections = await fixture.rows(`select name, cid from collections where name_folded = 'holiday'`);
    expect(collections).toHaveLength(1);
    const stamps = await stampsOf(objectCid);
    expect(stamps).toHaveLength(1);
    expect(hexOf(stamps[0]?.set_cid)).toBe(hexOf(collections[0]?.cid));
    expect(
      (await fixture.events('CollectionRegistered')).filter(
        ({ data }) => String(data.name).toLowerCase() === 'holiday',
      ),
    ).toHaveLength(1);
  });

  it('is refused when another collection of the account has the CID of the name', async () => {
    await fixture.requestCollections(collectionRequest(account, 'Odd', { cid: cidOfCollectionName('Taken') }));
    const request = stampRequest(account, { set: { kind: 'named', name: 'Taken' } });
    const { replies } = await fixture.request(request);
    expect(replies).toEqual([
      {
        replyTo: 'gateway-1',
        reply: {
          requestId: request.requestId,
          kind: 'refused',
          refusal: expect.objectContaining({ code: 'collection-cid-taken' }),
        },
      },
    ]);
    expect(await stampsOf(request.objectCid)).toHaveLength(0);
    expect((await fixture.events('StampRequestRefused')).map(({ data }) => data.requestId)).toContain(
      request.requestId,
    );
  });
});

describe('creating a collection', () => {
  it('that exists and is not created yet waits for the first request; another of its name or CID is refused', async () => {
    const first = collectionRequest(account, 'Waiting');
    await fixture.requestCollections(first);
    const again = await fixture.requestCollections(collectionRequest(account, 'Waiting'));
    expect(again.counts).toMatchObject({ registered: 0, waiting: 1, refused: 0 });
    const inOtherCase = await fixture.requestCollections(collectionRequest(account, 'waiting'));
    expect(inOtherCase.counts).toMatchObject({ registered: 0, waiting: 1, refused: 0 });
    for (const other of [
      collectionRequest(account, 'Waiting', { description: 'second' }),
      collectionRequest(account, 'Waiting', { isPinned: true }),
    ])
      expect((await fixture.requestCollections(other)).counts).toMatchObject({ waiting: 0, refused: 1 });
    const otherCid = await fixture.requestCollections(collectionRequest(account, 'Waiting', { cid: randomCid() }));
    expect(otherCid.counts).toMatchObject({ refused: 1 });
    const otherName = await fixture.requestCollections(
      collectionRequest(account, 'Another', { cid: cidOfCollectionName('Waiting') }),
    );
    expect(otherName.replies.map(({ reply }) => reply)).toEqual([
      expect.objectContaining({ kind: 'refused', refusal: expect.objectContaining({ code: 'collection-exists' }) }),
    ]);
  });

  it('that a stamp registers waits when it wants no more than that, and is refused otherwise', async () => {
    await fixture.request(stampRequest(account, { set: { kind: 'named', name: 'Of a stamp' } }));
    const plain = await fixture.requestCollections(collectionRequest(account, 'Of a stamp'));
    expect(plain.counts).toMatchObject({ waiting: 1, refused: 0 });
    const described = await fixture.requestCollections(
      collectionRequest(account, 'Of a stamp', { description: 'wanted', isPinned: true }),
    );
    expect(described.replies.map(({ reply }) => reply)).toMatchObject([
      { kind: 'refused', refusal: { code: 'collection-exists' } },
    ]);
  });
});

describe('text that no column holds (I11)', () => {
  const refused = { kind: 'refused', refusal: { code: 'invalid-text' } };

  it.each(['a\u0000b', 'a\u009fb', 'a\ud800b'])(
    'is refused in a description, and the next request goes on: %j',
    async (text) => {
      const name = `After ${text.codePointAt(1)}`;
      const { replies, counts } = await fixture.requestCollections(
        collectionRequest(account, name, { description: text }),
        collectionRequest(account, name, { description: 'tabs\tand\r\nlines' }),
      );
      expect(replies.map(({ reply }) => reply)).toMatchObject([refused]);
      expect(counts).toMatchObject({ registered: 1, refused: 1 });
    },
  );

  it('is refused in the name of a collection, of a stamp too, and its neighbours are decided', async () => {
    const { replies } = await fixture.requestCollections(collectionRequest(account, 'a\u0000b'));
    expect(replies.map(({ reply }) => reply)).toMatchObject([refused]);
    const stamps = await fixture.request(
      stampRequest(account, { set: { kind: 'named', name: 'c\u0000d' } }),
      stampRequest(account),
    );
    expect(stamps.counts).toMatchObject({ new: 1, refused: 1 });
    expect(stamps.replies.map(({ reply }) => reply)).toMatchObject([refused, { decision: 'new' }]);
  });
});
