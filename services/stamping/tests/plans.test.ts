import { randomUUID } from 'node:crypto';
import { BlocksFinalized } from '@indelible/messages';
import { planning } from '@indelible/postgres';
import { readsOfWholeTables, recordStatements } from '@indelible/testing';
import { expect, it } from '@jest/globals';
import { endUnserviceable } from '../src/accounts/end-unserviceable.ts';
import { grantRevoked } from '../src/accounts/unserviceable-accounts.ts';
import { forgetSpending, loadSpending } from '../src/batching/account-spending.ts';
import { lookAtBacklog } from '../src/batching/backlog.ts';
import { freeCollections } from '../src/batching/batch-queries.ts';
import { claimCollections, claimRevertedCollection } from '../src/batching/claim-collections.ts';
import { claimRevertedStamps, claimStamps } from '../src/batching/claim-stamps.ts';
import { freeGrant } from '../src/batching/settle-grant.ts';
import { giveUpCollections } from '../src/confirming/give-up-collections.ts';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { schema } from '../src/schema.ts';
import { findStampFacts } from '../src/statuses/find-stamp-facts.ts';
import { collectionRequest, incoming, stampRequest } from './support/messages.ts';
import { createFixture } from './support/stamping-fixture.ts';

/** A row a lane or a chain. */
const allowed = ['lanes: ', 'cursors: ', 'relay_cursor: '];

it('no statement on the way of a stamp reads a whole table, even if it was planned when nothing was there', async () => {
  const fixture = await createFixture();
  const recorded = recordStatements();
  try {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    const first = stampRequest(account, { set: { kind: 'named', name: 'Plans' } });
    await fixture.request(first, stampRequest(account, { objectCid: first.objectCid, set: first.set }));
    const another = collectionRequest(account, 'Another');
    await fixture.requestCollections(another);
    await fixture.requestCollections({ ...another, requestId: randomUUID() });
    await endUnserviceable(fixture.database, async () => {});
    await fixture.database.transaction(async (client) => {
      await giveUpCollections(client, account, grantRevoked);
      await claimRevertedCollection(client);
      await claimStamps(client, fixture.chainId, 10, [account]);
      await claimRevertedStamps(client, fixture.chainId, 10, [account]);
      await claimCollections(client, 10, [account]);
      await claimRevertedCollection(client, [account]);
      await freeCollections(client, another.requestId, true);
      await freeGrant(client, another.requestId);
    });
    await fixture.settle();
    await fixture.request(stampRequest(account));
    await fixture.tend();
    await fixture.settle();
    const head = Number(await fixture.anvil.request('eth_blockNumber', []));
    await fixture.revertTo(head - 1);
    await fixture.sign();
    await lookAtBacklog(fixture.database, 1_000);
    await loadSpending(fixture.database, 24, 1n, 10);
    await forgetSpending(fixture.database, 24, 10);
    await findStampFacts(fixture.database, fixture.chainId, [first.requestId, randomUUID()]);
    const { number, hash } = (await fixture.blockMessage(head - 1)).data;
    await handleChainFacts(fixture.facts, [incoming(BlocksFinalized, { chainId: fixture.chainId, number, hash })]);
    recorded.stop();
    const texts = recorded.texts();
    expect(texts.length).toBeGreaterThan(20);
    const whole = await readsOfWholeTables(texts, { url: fixture.databaseUrl, schema, settings: planning });
    expect(whole.filter((each) => !allowed.some((start) => each.startsWith(start)))).toEqual([]);
  } finally {
    recorded.stop();
    await fixture.dispose();
  }
});
