import { randomUUID } from 'node:crypto';
import { cidOfCollectionName, type Hex, zeroCid } from '@indelible/identifiers';
import { maxSubmittedStamps, RequestStamp } from '@indelible/messages';
import { afterEach, describe, expect, it } from '@jest/globals';
import { endUnserviceable } from '../src/accounts/end-unserviceable.ts';
import { handleStampRequests } from '../src/requests/handle-stamp-requests.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
afterEach(() => fixture.dispose());

async function given(options: Parameters<typeof createFixture>[0] = {}): Promise<void> {
  fixture = await createFixture(options);
  account = await fixture.openAccount(0);
  await fixture.settle();
}

/** Requests as the gateway publishes them for one HTTP request. */
const requestAll = (requestId: string, ...requests: RequestStamp[]) =>
  handleStampRequests(
    { database: fixture.database, chainId: fixture.chainId, now: Date.now, intake: fixture.intake },
    requests.map((data) => ({ ...incoming(RequestStamp, data), requestId })),
  );
const dataOf = async (type: string) => (await fixture.events(type)).map(({ data }) => data);
const instant = expect.stringMatching(/^\d{4}-.*Z$/);
const named = { set: { kind: 'named', name: 'Photos' }, setCidHint: cidOfCollectionName('Photos') } as const;

describe('what its owner knows a stamp by', () => {
  it.each([1, 'finalized'] as const)(
    'is in each event of it, with a confirmation depth of %s (I6)',
    async (confirmation) => {
      await given({ confirmation });
      const requestId = randomUUID();
      const first = stampRequest(account, { ...named, clientRef: 'row 1 "é"' });
      const second = stampRequest(account);
      await requestAll(requestId, first, second);
      // It joins the first, which keeps the reference it was made with.
      await requestAll(
        randomUUID(),
        stampRequest(account, { ...named, objectCid: first.objectCid, clientRef: 'other' }),
      );
      const identity = {
        ...{ stampId: first.requestId, requestId, account, setCid: named.setCidHint, objectCid: first.objectCid },
        ...{ collectionName: 'Photos', clientRef: 'row 1 "é"' },
      };
      const plain = {
        ...{ stampId: second.requestId, requestId, account, setCid: zeroCid, objectCid: second.objectCid },
        ...{ collectionName: null, clientRef: null },
      };
      const ancestor = Number(await fixture.anvil.request('eth_blockNumber', []));
      await fixture.settle();
      const [submitted] = await dataOf('StampsSubmitted');
      expect(submitted).toMatchObject({ part: 1, parts: 1, submittedAt: instant });
      expect(submitted?.stamps).toEqual(
        expect.arrayContaining([identity, plain].map((of) => ({ ...of, attempt: 1, reversions: 0 }))),
      );
      const { batchId } = submitted as { batchId: string };

      if (confirmation === 'finalized') await fixture.finalize();
      const { account: _a, setCid: _s, objectCid: _o, ...told } = identity;
      const confirmed = await dataOf('StampConfirmed');
      expect(confirmed).toHaveLength(2);
      expect(confirmed).toContainEqual({
        ...{ ...told, batchId, content: null, replyTo: 'gateway-1' },
        receipt: expect.objectContaining({ objectCid: first.objectCid }),
      });
      await fixture.revertTo(ancestor);
      expect(await dataOf('StampReverted')).toContainEqual({
        ...{ ...told, batchId, revertedAt: instant },
        formerReceipt: expect.objectContaining({ objectCid: first.objectCid }),
      });
    },
  );

  it('is in the event of its failure (I6)', async () => {
    await given();
    const requestId = randomUUID();
    const request = stampRequest(account, { ...named, clientRef: 'row 1' });
    await requestAll(requestId, request);
    await fixture.pool.query('update stamping.accounts set revoked_block = 9');
    await endUnserviceable(fixture.database, async () => {});
    expect(await dataOf('StampFailed')).toEqual([
      {
        ...{ stampId: request.requestId, requestId, account, setCid: named.setCidHint, objectCid: request.objectCid },
        ...{ collectionName: 'Photos', clientRef: 'row 1', failedAt: instant },
        refusal: expect.objectContaining({ code: 'grant-revoked' }),
      },
    ]);
  });

  it('is announced in parts for a large batch, each smaller than a message may be, and then its finality', async () => {
    await given();
    const requests = Array.from({ length: 2 * maxSubmittedStamps + 1 }, () =>
      stampRequest(account, { idempotency: null, clientRef: '😀'.repeat(200) }),
    );
    await fixture.request(...requests);
    await fixture.settle();
    const parts = await fixture.events('StampsSubmitted');
    expect(parts.map(({ version, data }) => [version, data.part, data.parts])).toEqual([
      [1, 1, 3],
      [2, 2, 3],
      [3, 3, 3],
    ]);
    expect(new Set(parts.map(({ stream }) => stream)).size).toBe(1);
    const announced = parts.flatMap(({ data }) => data.stamps as { stampId: string }[]);
    expect(announced.map(({ stampId }) => stampId)).toEqual(requests.map(({ requestId }) => requestId));
    for (const { data } of parts) expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(960 * 1024);
    await fixture.finalize();
    const [final] = await fixture.events('StampsFinalized');
    expect(final).toMatchObject({ stream: parts[0]?.stream, version: 4 });
  });

  it('cannot be a text that no column holds: such a request is refused (I11)', async () => {
    await given();
    const [bad, good] = [
      stampRequest(account, { clientRef: 'a\u0000b' }),
      stampRequest(account, { clientRef: 'good' }),
    ];
    const { counts } = await requestAll(randomUUID(), bad, good);
    expect(counts).toMatchObject({ refused: 1, new: 1 });
    expect(await dataOf('StampRequestRefused')).toMatchObject([
      { requestId: bad.requestId, refusal: { code: 'invalid-text', message: expect.stringContaining('client_ref') } },
    ]);
  });
});
