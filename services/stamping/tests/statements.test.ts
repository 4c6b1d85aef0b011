import { randomUUID } from 'node:crypto';
import { estimateFees } from '@indelible/ethereum';
import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { RequestStamp } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { unknownOutlook } from '../src/batching/look-around.ts';
import { signNextBatch } from '../src/batching/sign-batch.ts';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { collectionRequest, incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

// Under a light load each stamp is decided and signed alone, so that statements are most of what it costs.

let fixture: Fixture;
let account: Hex;
let database: Database;
let statements: string[] = [];
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
  database = noting(fixture.database);
});
beforeEach(() => {
  statements = [];
});
afterAll(() => fixture.dispose());

/** Notes the names of the statements between `begin` and `commit`. */
const noting = (of: Database): Database => ({
  ...of,
  transaction: (work) =>
    of.transaction((client) =>
      work({
        query: (...parameters: unknown[]) => {
          statements.push((parameters[0] as { name: string }).name);
          return (client.query as (...all: unknown[]) => unknown).apply(client, parameters);
        },
      } as Client),
    ),
});

const decide = (...requests: RequestStamp[]) =>
  handleStampRequests(
    { database, chainId: fixture.chainId, now: Date.now, intake: fixture.intake },
    requests.map((data) => incoming(RequestStamp, data)),
  );

const ofNew = ['claim-messages', 'look-at-requests', 'insert-stamps', 'append-events'];

describe('the statements of a decision', () => {
  it('are four for new stamps, with and without collections', async () => {
    await fixture.requestCollections(collectionRequest(account, 'Known'));
    const { counts } = await decide(
      ...Array.from({ length: 20 }, () => stampRequest(account)),
      stampRequest(account, { set: { kind: 'named', name: 'known' } }),
      stampRequest(account, { set: { kind: 'registered', cid: cidOfCollectionName('Known') } }),
    );
    expect(counts).toMatchObject({ new: 22 });
    // The identity under the collection's own CID is not the one that the name as given would have.
    expect(statements).toEqual([...ofNew.slice(0, 2), 'load-identities', ...ofNew.slice(2)]);
    statements = [];
    await decide(stampRequest(account, { set: { kind: 'named', name: 'Known' } }));
    expect(statements).toEqual(ofNew);
  });

  it('are one more for those that join', async () => {
    const request = stampRequest(account);
    await decide(request);
    statements = [];
    const { counts } = await decide(
      stampRequest(account),
      stampRequest(account, { objectCid: request.objectCid, requestId: randomUUID() }),
    );
    expect(counts).toMatchObject({ new: 1, joined: 1 });
    expect(statements).toEqual([...ofNew.slice(0, 3), 'insert-joined-requests', 'append-events']);
  });
});

it('the statements that sign and store a batch of stamps are four', async () => {
  await fixture.settle();
  await fixture.request(stampRequest(account));
  const lane = fixture.lanes[0]!;
  const batch = await signNextBatch(
    { ...fixture.signing, database },
    await fixture.holdLane(lane),
    await estimateFees(fixture.rpc),
    { ...unknownOutlook, grants: false, reverted: false, collections: false },
  );
  expect(batch?.items).toBeGreaterThan(0);
  expect(statements).toEqual(['claim-stamps-in-turns', 'take-nonce', 'store-batch', 'append-events']);
});
