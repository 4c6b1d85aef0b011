import { randomUUID } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import {
  fromPackRow,
  type PackRow,
  RequestStamp,
  StampConfirmed,
  StampRequested,
  type StoredEvent,
} from '@indelible/messages';
import { recordedEvents } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { importOutcomes } from '../src/restoring/import-outcomes.ts';
import { importDecisions } from '../src/restoring/import-requests.ts';
import { stampStream } from '../src/stamp-stream.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

const history = async (stampId: string): Promise<string[]> =>
  (await recordedEvents(fixture.pool, 'stamping'))
    .filter(({ stream }) => stream === stampStream(stampId))
    .toSorted((one, other) => one.version - other.version)
    .map(({ version, type }) => `${version} ${type}`);
const packs = async (): Promise<(PackRow & { type: string; message_id: string })[]> =>
  (
    await fixture.pool.query(
      'select type, message_id, data, record from stamping.events where record is not null order by position',
    )
  ).rows;

describe('events of stamps without content', () => {
  it('share a row for each key, those with content have rows of their own', async () => {
    const content = { stagedId: randomUUID(), size: 1, crc32c: 1, fileName: 'cat.jpg' };
    const requests = Array.from({ length: 100 }, () => stampRequest(account));
    const [first] = requests;
    const withContent = stampRequest(account);
    await fixture.request(...requests, {
      ...withContent,
      content: { ...content, objectCid: withContent.objectCid },
    });
    await fixture.settle();
    const rows = await packs();
    for (const type of ['StampRequested', 'StampConfirmed']) {
      const ofType = rows.filter((row) => row.type === type);
      expect(ofType).toHaveLength(8);
      const stampIds = ofType.flatMap(fromPackRow).map(({ data }) => (data as { stampId: string }).stampId);
      expect(stampIds.toSorted()).toEqual(requests.map(({ requestId }) => requestId).toSorted());
    }
    expect(await history(first?.requestId ?? '')).toEqual(['1 StampRequested', '2 StampConfirmed']);
    expect(await history(withContent.requestId)).toEqual(['1 StampRequested', '2 StampConfirmed']);
  });

  it('are recorded once when two replicas decide the same commands at once (I2, I5)', async () => {
    const { database, chainId, intake } = fixture;
    const messages = Array.from({ length: 20 }, () => {
      const request = stampRequest(account);
      return incoming(RequestStamp, request, request.requestId);
    });
    await Promise.all([1, 2, 3].map(() => handleStampRequests({ database, chainId, now: Date.now, intake }, messages)));
    for (const { id } of messages) expect(await history(id)).toEqual(['1 StampRequested']);
  });

  it('are recorded once when two replicas handle the same block at once (I2, I5)', async () => {
    const requests = Array.from({ length: 20 }, () => stampRequest(account));
    await fixture.request(...requests);
    await fixture.broadcast(await fixture.sign());
    await fixture.anvil.mine(1);
    const number = Number(await fixture.anvil.request('eth_blockNumber', []));
    const block = await fixture.blockMessage(number);
    await Promise.all([1, 2, 3].map(() => handleChainFacts(fixture.facts, [block])));
    for (const { requestId } of requests)
      expect(await history(requestId)).toEqual(['1 StampRequested', '2 StampConfirmed']);
  });

  it('go on in a row of their own at a reorg (I4)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const before = Number(await fixture.anvil.request('eth_blockNumber', []));
    await fixture.settle();
    await fixture.revertTo(before);
    expect(await history(request.requestId)).toEqual(['1 StampRequested', '2 StampConfirmed', '3 StampReverted']);
  });
});

describe('a restore', () => {
  /** As read from the topic: with the id of its record. */
  const published = (
    contract: typeof StampRequested | typeof StampConfirmed,
    { id, data }: Pick<StoredEvent, 'id' | 'data'>,
    packId: string,
  ): IncomingMessage => ({ ...incoming(contract, data as never, id), packId });

  const allPublished = async (): Promise<readonly [decisions: IncomingMessage[], outcomes: IncomingMessage[]]> => {
    const messagesOf = async (contract: typeof StampRequested | typeof StampConfirmed) =>
      (await packs())
        .filter(({ type }) => type === contract.type)
        .flatMap((row) => fromPackRow(row).map((event) => published(contract, event, row.message_id)));
    return [await messagesOf(StampRequested), await messagesOf(StampConfirmed)];
  };
  const take = async ([decisions, outcomes]: Awaited<ReturnType<typeof allPublished>>): Promise<number> =>
    fixture.database.transaction(
      async (client) => (await importDecisions(client, decisions)) + (await importOutcomes(client, outcomes)),
    );

  it('knows what was published in records whose rows are there, and takes over the others once (I5, I8)', async () => {
    const kept = stampRequest(account);
    await fixture.request(kept);
    await fixture.settle();
    const lost = Array.from({ length: 3 }, () => stampRequest(account));
    await fixture.request(...lost);
    await fixture.settle();
    const messages = await allPublished();
    expect(messages.map((list) => list.length)).toEqual([4, 4]);
    expect(await take(messages)).toBe(0);

    const lostIds = lost.map(({ requestId }) => requestId);
    await fixture.pool.query('update stamping.stamps set batch_id = null where id = any($1)', [lostIds]);
    await fixture.pool.query('delete from stamping.stamps where id = any($1)', [lostIds]);
    await fixture.pool.query('delete from stamping.inbox where message_id = any($1)', [lostIds]);
    const known = (await packs()).slice(0, 2);
    expect(known.map(({ type }) => type)).toEqual(['StampRequested', 'StampConfirmed']);
    await fixture.pool.query('delete from stamping.events where record is not null and message_id <> all($1)', [
      known.map(({ message_id: id }) => id),
    ]);
    expect(await take(messages)).toBe(6);
    expect(await take(messages)).toBe(0);
    for (const id of [kept.requestId, ...lostIds])
      expect(await history(id)).toEqual(['1 StampRequested', '2 StampConfirmed']);
  });

  it('knows a decision that was published alone, though the backup has it in a row with others (I5)', async () => {
    const requests = Array.from({ length: 3 }, () => stampRequest(account));
    await fixture.request(...requests);
    await fixture.settle();
    // The relay took it out of its row after the backup: its record names no other.
    const alone = (await allPublished()).map((messages) => messages.map(({ packId: _, ...message }) => message));
    expect(await take(alone as unknown as Awaited<ReturnType<typeof allPublished>>)).toBe(0);
    for (const { requestId } of requests)
      expect(await history(requestId)).toEqual(['1 StampRequested', '2 StampConfirmed']);
  });

  it('knows a confirmation that was published alone, of a stamp that the backup shows reverted; a later one is new (I4, I5)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const before = Number(await fixture.anvil.request('eth_blockNumber', []));
    await fixture.settle();
    const [, [confirmation]] = await allPublished();
    await fixture.revertTo(before);
    const { packId: _, ...alone } = confirmation as IncomingMessage<typeof StampConfirmed>;
    const status = () => fixture.rows('select status from stamps where id = $1', [request.requestId]);
    expect(await take([[], [alone]])).toBe(0);
    expect(await status()).toEqual([{ status: 'requested' }]);
    const reverted = ['1 StampRequested', '2 StampConfirmed', '3 StampReverted'];
    expect(await history(request.requestId)).toEqual(reverted);

    const { data } = alone;
    const receipt = { ...data.receipt, blockHash: `0x${'ab'.repeat(32)}` as Hex };
    expect(await take([[], [incoming(StampConfirmed, { ...data, receipt })]])).toBe(1);
    expect(await status()).toEqual([{ status: 'confirmed' }]);
    expect(await history(request.requestId)).toEqual([...reverted, '4 StampConfirmed']);
  });

  it('takes a confirmation from after the reversion, also in the block as it was before (I2, I4)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    const before = Number(await fixture.anvil.request('eth_blockNumber', []));
    await fixture.settle();
    const [, [confirmation]] = await allPublished();
    await fixture.revertTo(before);
    const { data } = confirmation as IncomingMessage<typeof StampConfirmed>;
    expect(await take([[], [incoming(StampConfirmed, data)]])).toBe(1);
    expect(await fixture.rows('select status from stamps where id = $1', [request.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
  });
});
