import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Contract, type EventLog, JsonRpcProvider } from 'ethers';
import sha3 from 'js-sha3';
import type { CloudEvent, StampAnswer } from './support/client.ts';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';
import { startWebhookReceiver } from './support/webhook-receiver.ts';

jest.setTimeout(120_000);

let running: RunningStack;
let provider: JsonRpcProvider;
let contract: Contract;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let secret: string;
beforeAll(async () => {
  running = await startRunningStack();
  receiver = await startWebhookReceiver();
  const types = ['stamp.submitted', 'stamp.confirmed', 'file.stored'];
  const created = await running.client.createWebhook({ url: receiver.url, types });
  secret = created.body.secret;
  provider = new JsonRpcProvider(running.connection.rpcUrl, undefined, { staticNetwork: true });
  contract = new Contract(running.connection.contractAddress, commitmentServiceAbi, provider);
});
afterAll(async () => {
  provider?.destroy();
  await running?.stop();
  await receiver?.stop();
});

const cidOf = (content: Buffer | string): string => `0x${sha3.sha3_256(content)}`;

/** The commitments of an object as the chain itself has them. */
async function commitmentsOnChain(objectCid: string): Promise<EventLog[]> {
  const inSets = await contract.queryFilter(contract.filters.AddSetObject!(null, null, objectCid));
  const alone = await contract.queryFilter(contract.filters.AddObject!(null, objectCid));
  return [...inSets, ...alone] as EventLog[];
}

async function expectReceiptOfChain(
  { commitment_receipt: receipt }: StampAnswer['body'],
  objectCid: string,
): Promise<void> {
  const [log, ...others] = await commitmentsOnChain(objectCid);
  expect(others).toEqual([]);
  const block = await log!.getBlock();
  const transaction = await log!.getTransaction();
  expect(receipt).toEqual({
    transaction_hash: log!.transactionHash,
    user_address: log!.args.user,
    set_cid: log!.args.setCid ?? `0x${'0'.repeat(64)}`,
    object_cid: objectCid,
    timestamp: new Date(block.timestamp * 1000).toISOString().replace('.000Z', '+00:00'),
    chain_id: running.connection.chainId,
  });
  expect(receipt.user_address).toBe(running.connection.userAddress);
  expect(await contract.laneOperator!(transaction.from)).toBe(running.connection.operatorAddress);
}

describe('the life of a stamp', () => {
  const content = randomBytes(100_000);
  const objectCid = cidOf(content);
  let first: StampAnswer;
  let stream: Awaited<ReturnType<RunningStack['client']['streamEvents']>>;
  afterAll(() => stream?.close());

  it('steps 1 to 9: a file is stamped into a new collection, and its receipt is what the chain says (I1)', async () => {
    stream = await running.client.streamEvents();
    first = await running.client.stamp({ file: new Blob([content]), collection_name: 'Evidence' }, 'photo.tar.gz');
    expect(first.status).toBe(201);
    await expectReceiptOfChain(first.body, objectCid);
    expect(first.body.commitment_receipt.set_cid).toBe(cidOf('Evidence'));
  });

  it('step 8: the stored file has its bytes, under the path the answer names', async () => {
    const { file_name: name, file_path: path } = first.body.file_object!;
    expect(name).toMatch(/^photo\.tar_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d\+0000\.gz$/);
    expect(path).toBe(`${running.connection.userAddress}/collections/Evidence/stamped/${name}`);
    expect(cidOf(await readFile(join(running.connection.blobDirectory, 'objects', path)))).toBe(objectCid);
  });

  it('one request id runs through every step, and no key or content stands in a log (I10)', async () => {
    const steps = ['requests decided', 'batch signed', 'stamps confirmed', 'files stored', 'request'];
    await eventually(async () => {
      const lines = running.log.filter((line) => line.includes(first.requestId!));
      const told = lines.map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as { msg: string }).msg);
      expect(told).toEqual(expect.arrayContaining(steps));
    });
    const log = running.log.join('\n');
    expect(log).not.toContain(running.connection.apiKey);
    expect(log).not.toContain(content.subarray(0, 24).toString('hex'));
  });

  it('step 10: verify finds it at once, with the same receipt (I9)', async () => {
    const { status, body } = await running.client.verify([objectCid, cidOf('never stamped')]);
    expect(status).toBe(200);
    expect(body.stamp_list).toEqual([first.body.commitment_receipt]);
  });

  it('step 11: the log of public events has what the account can rely on', async () => {
    const { internalUrl } = running.stack.services.notifications;
    const stampId = first.location?.split('/').at(-1);
    await eventually(async () => {
      const response = await fetch(`${internalUrl}/internal/events?account=${running.connection.userAddress}`);
      const { events } = (await response.json()) as {
        events: { event: { type: string; subject: string; data: Record<string, unknown> } }[];
      };
      expect(events.map(({ event }) => [event.type, event.subject])).toEqual(
        expect.arrayContaining([
          ['com.indelible.account.opened.v1', running.connection.userAddress],
          ['com.indelible.collection.created.v1', cidOf('Evidence')],
          ['com.indelible.collection.created.v2', cidOf('Evidence')],
          ['com.indelible.stamp.submitted.v1', stampId],
          ['com.indelible.stamp.confirmed.v1', stampId],
          ['com.indelible.file.stored.v1', stampId],
        ]),
      );
      const confirmed = events.find(({ event }) => event.type === 'com.indelible.stamp.confirmed.v1');
      expect(confirmed?.event.data).toMatchObject({
        stamp_id: stampId,
        collection_name: 'Evidence',
        object_cid: objectCid,
        commitment_receipt: first.body.commitment_receipt,
      });
    });
  });

  it('step 11: a stream of events has shown each of these as it happened', async () => {
    const stampId = first.location?.split('/').at(-1);
    // Until the block is final.
    await running.anvil.mine(100);
    await eventually(
      () => {
        const names = stream.events.filter(({ event }) => event.subject === stampId).map(({ name }) => name);
        expect(names.slice(0, 2)).toEqual(['stamp.submitted', 'stamp.confirmed']);
        expect(names.slice(2).sort()).toEqual(['file.stored', 'stamp.finalized']);
      },
      { timeoutMs: 60_000 },
    );
    const pages = await running.client.get<{ events: CloudEvent[] }>('/events?wait=0&limit=1000');
    const ofStamp = (events: readonly CloudEvent[]) => events.filter(({ subject }) => subject === stampId);
    expect(ofStamp(stream.events.map(({ event }) => event))).toEqual(ofStamp(pages.body.events));
  });

  it('step 12: the webhook of the account gets them, signed', async () => {
    const stampId = first.location?.split('/').at(-1);
    await eventually(() => {
      const own = receiver.verified(secret).filter(({ subject }) => subject === stampId);
      const types = ['stamp.submitted', 'stamp.confirmed', 'file.stored'].map((name) => `com.indelible.${name}.v1`);
      expect(new Set(own.map(({ type }) => type))).toEqual(new Set(types));
      const confirmed = own.find(({ type }) => type === 'com.indelible.stamp.confirmed.v1');
      expect(confirmed?.data.commitment_receipt).toMatchObject(first.body.commitment_receipt);
    });
  });

  it('a second identical request answers 200 with the first receipt (I2)', async () => {
    const again = await running.client.stamp(
      { file: new Blob([content]), collection_name: 'evidence' },
      'other-name.bin',
    );
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ commitment_receipt: first.body.commitment_receipt });
    expect(await commitmentsOnChain(objectCid)).toHaveLength(1);
  });

  it('the new collection is listed, created and the same for the same name', async () => {
    const { status, body } = await running.client.get<{ name: string; cid: string }[]>('/collections');
    expect(status).toBe(200);
    expect(body).toContainEqual(expect.objectContaining({ name: 'Evidence', cid: cidOf('Evidence'), is_public: true }));
    const created = await running.client.createCollection({ name: 'evidence' });
    expect(created.status).toBe(409);
  });

  it('the account is the one the key belongs to', async () => {
    const { status, body } = await running.client.get<Record<string, unknown>>('/users/me');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      last_address: running.connection.userAddress,
      last_is_verified: true,
      storage_type: 'local',
    });
  });
});

describe('many at once', () => {
  it('50 identical requests give one 201 and 49 × 200, and one commitment (I2)', async () => {
    const objectCid = cidOf(randomBytes(32));
    const answers = await Promise.all(Array.from({ length: 50 }, () => running.client.stamp({ data_cid: objectCid })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.commitment_receipt))).size).toBe(1);
    expect(await commitmentsOnChain(objectCid)).toHaveLength(1);
  });

  it('50 identical uploads give one 201, one stored file and one commitment (I2, I7)', async () => {
    const content = randomBytes(2_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        running.client.stamp({ file: new Blob([content]), collection_name: 'Same' }, 'same.bin'),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 49 }, () => 200), 201]);
    expect(answers.filter(({ body }) => body.file_object !== undefined)).toHaveLength(1);
    expect(await commitmentsOnChain(cidOf(content))).toHaveLength(1);
  });

  it('200 different requests all confirm, in few transactions', async () => {
    const cids = Array.from({ length: 200 }, () => cidOf(randomBytes(32)));
    const answers = await Promise.all(
      cids.map((cid) => running.client.stamp({ data_cid: cid, collection_name: 'Many' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(cids.map(() => 201));
    for (const [i, cid] of cids.entries()) expect(answers[i]?.body.commitment_receipt.object_cid).toBe(cid);
    const transactions = new Set(answers.map(({ body }) => body.commitment_receipt.transaction_hash));
    expect(transactions.size).toBeLessThanOrEqual(20);
    expect((await running.client.verify(cids)).body.stamp_list).toHaveLength(200);
  });
});

describe('when stamping is killed', () => {
  /** A patient client's outcome: the response, or the final state of the status resource. */
  async function outcome(answer: Promise<StampAnswer>): Promise<StampAnswer['body']['commitment_receipt']> {
    const { status, body, location } = await answer;
    if (status === 201) return body.commitment_receipt;
    expect(status).toBe(503);
    return eventually(
      async () => {
        const { body: stamp } = await running.client.status(location!);
        expect(['confirmed', 'finalized']).toContain(stamp.status);
        return stamp.commitment_receipt!;
      },
      { timeoutMs: 60_000 },
    );
  }

  async function expectOnce(
    cids: readonly string[],
    receipts: readonly StampAnswer['body']['commitment_receipt'][],
  ): Promise<void> {
    for (const [i, cid] of cids.entries()) {
      const logs = await commitmentsOnChain(cid);
      expect(logs.map((log) => log.transactionHash)).toEqual([receipts[i]?.transaction_hash]);
    }
  }

  it('between storing a transaction and broadcasting it, nothing is lost or doubled (I3)', async () => {
    const held = running.proxy.hold('eth_sendRawTransaction');
    const cids = Array.from({ length: 20 }, () => cidOf(randomBytes(32)));
    const answers = cids.map((cid) => running.client.stamp({ data_cid: cid }));
    await held;
    await running.stack.services.stamping.kill();
    running.proxy.release();
    await expectOnce(cids, await Promise.all(answers.map(outcome)));
  });

  it('between broadcast and confirmation, nothing is lost or doubled (I3)', async () => {
    await running.anvil.request('evm_setIntervalMining', [0]);
    const cids = Array.from({ length: 20 }, () => cidOf(randomBytes(32)));
    const answers = cids.map((cid) => running.client.stamp({ data_cid: cid }));
    await eventually(async () => {
      const pool = (await running.anvil.request('txpool_status', [])) as { pending: string };
      expect(Number(pool.pending)).toBeGreaterThan(0);
    });
    await running.stack.services.stamping.kill();
    await running.anvil.request('evm_setIntervalMining', [1]);
    await expectOnce(cids, await Promise.all(answers.map(outcome)));
  });
});
