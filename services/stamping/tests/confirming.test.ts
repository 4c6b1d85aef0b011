import { bytesOfHex, cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { BlockAppended, BlocksFinalized, BlocksSafe, type Receipt } from '@indelible/messages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { confirmCollections } from '../src/confirming/collection-queries.ts';
import { cutChainFacts, handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { recordCollections } from '../src/confirming/record-confirmed.ts';
import { collectionRequest, incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

describe('with confirmation depth 1', () => {
  let fixture: Fixture;
  let account: Hex;
  beforeAll(async () => {
    fixture = await createFixture();
    account = await fixture.openAccount(0);
    await fixture.settle();
  });
  afterAll(() => fixture.dispose());

  const receiptsOf = async (stampId: string): Promise<Receipt[]> =>
    (await fixture.events('StampConfirmed'))
      .filter(({ data }) => data.stampId === stampId)
      .map(({ data }) => data.receipt as Receipt);

  it('a stamp is confirmed with the facts of its block and log (I1)', async () => {
    const request = stampRequest(account, { set: { kind: 'named', name: 'Facts' } });
    await fixture.request(request);
    const { replies } = await fixture.settle();
    const [receipt] = await receiptsOf(request.requestId);
    const log = (
      await fixture.rpc.call<
        { topics: Hex[]; transactionHash: Hex; blockHash: Hex; blockNumber: Hex; logIndex: Hex }[]
      >('eth_getLogs', [{ address: fixture.contract, fromBlock: '0x0', topics: [null, null, null, request.objectCid] }])
    )[0]!;
    const block = await fixture.rpc.call<{ timestamp: Hex }>('eth_getBlockByHash', [log.blockHash, false]);
    expect(receipt).toEqual({
      transactionHash: log.transactionHash,
      logIndex: Number(log.logIndex),
      blockNumber: Number(log.blockNumber),
      blockHash: log.blockHash,
      blockTime: Number(block.timestamp),
      chainId: fixture.chainId,
      account,
      setCid: cidOfCollectionName('Facts'),
      objectCid: request.objectCid,
    });
    expect(replies).toContainEqual({
      replyTo: 'gateway-1',
      reply: {
        requestId: request.requestId,
        kind: 'confirmed',
        outcome: 'created',
        stampId: request.requestId,
        receipt,
        collectionCreated: true,
        awaitsFile: false,
      },
    });
  });

  it('requests that joined are answered with the same receipt, once', async () => {
    const request = stampRequest(account);
    const joining = stampRequest(account, { objectCid: request.objectCid, replyTo: 'gateway-2' });
    await fixture.request(request, joining);
    const { replies } = await fixture.settle();
    const [receipt] = await receiptsOf(request.requestId);
    expect(replies.filter(({ replyTo }) => replyTo === 'gateway-2').map(({ reply }) => reply)).toEqual([
      expect.objectContaining({ requestId: joining.requestId, kind: 'confirmed', outcome: 'repeated', receipt }),
    ]);
    expect(await fixture.rows('select * from joined_requests')).toEqual([]);
  });

  it('a request inside the window repeats the newest stamp, outside it makes a new one', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    const again = stampRequest(account, { objectCid: request.objectCid });
    const { replies } = await fixture.request(again);
    expect(replies.map(({ reply }) => reply)).toEqual([
      expect.objectContaining({
        requestId: again.requestId,
        kind: 'confirmed',
        outcome: 'repeated',
        stampId: request.requestId,
      }),
    ]);
    const late = await fixture.request(
      stampRequest(account, { objectCid: request.objectCid, idempotency: { windowSeconds: 0 } }),
    );
    expect(late.counts).toMatchObject({ new: 1 });
    await fixture.settle();
  });

  it('equal stamps of one batch get a log each', async () => {
    const request = stampRequest(account, { idempotency: null });
    await fixture.request(
      request,
      ...Array.from({ length: 2 }, () => stampRequest(account, { objectCid: request.objectCid, idempotency: null })),
    );
    const outcome = await fixture.settle();
    expect(outcome).toMatchObject({ confirmed: 3, unmatched: [] });
    const logs = await fixture.rows('select distinct log_index from stamps where object_cid = $1', [
      Buffer.from(request.objectCid.slice(2), 'hex'),
    ]);
    expect(logs).toHaveLength(3);
  });

  it('a block of thousands of stamps is confirmed as one, also before Postgres has statistics', async () => {
    const requests = Array.from({ length: 6_000 }, () => stampRequest(account, { idempotency: null }));
    await fixture.request(...requests);
    const { confirmed, unmatched } = await fixture.settle();
    expect({ confirmed, unmatched }).toEqual({ confirmed: requests.length, unmatched: [] });
    const places = await fixture.rows(
      `select count(*)::int as stamps, count(distinct batch_id)::int as batches,
         count(distinct (transaction_hash, log_index))::int as logs
       from stamps where id = any($1::uuid[]) and status = 'confirmed'
         and id = (select stamp_ids[batch_index + 1] from batches where batches.id = batch_id)`,
      [requests.map(({ requestId }) => requestId)],
    );
    expect(places).toEqual([{ stamps: requests.length, batches: expect.any(Number), logs: requests.length }]);
    expect(places[0]?.batches).toBeGreaterThan(1);
  });

  it('a collection is created when its AddSet is on the chain, and the requests that wait are answered', async () => {
    const request = collectionRequest(account, 'Told');
    await fixture.requestCollections(request);
    const { replies } = await fixture.settle();
    expect(replies.map(({ reply }) => reply)).toContainEqual(
      expect.objectContaining({
        requestId: request.requestId,
        kind: 'collection-created',
        account,
        cid: cidOfCollectionName('Told'),
      }),
    );
    const again = await fixture.requestCollections(collectionRequest(account, 'told'));
    expect(again.counts).toMatchObject({ refused: 1 });
  });

  it('a collection’s event names the block and the log of its AddSet; of a block that a former release read it is of the former version', async () => {
    await fixture.requestCollections(collectionRequest(account, 'Placed'));
    await fixture.settle();
    const cid = cidOfCollectionName('Placed');
    const created = async () => (await fixture.events('CollectionCreated')).filter(({ data }) => data.cid === cid);
    const { data: block } = await fixture.blockMessage(Number(await fixture.anvil.request('eth_blockNumber', [])));
    const log = block.logs.find(({ kind, setCid }) => kind === 'set' && setCid === cid);
    const place = { blockNumber: block.number, blockHash: block.hash, logIndex: log?.logIndex };
    expect((await created()).map(({ data }) => data)).toEqual([expect.objectContaining(place)]);
    // As that release leaves it.
    await fixture.rows(
      'update collections set is_created = false, created_block_hash = null, created_log_index = null where cid = $1',
      [bytesOfHex(cid)],
    );
    await fixture.database.transaction(async (client) =>
      recordCollections(client, fixture.chainId, await confirmCollections(client, block.number, 10)),
    );
    const [, former] = await created();
    expect(former?.data).toMatchObject({ blockNumber: block.number });
    expect(former?.data).not.toHaveProperty('blockHash');
  });

  it('after a reorg the stored transactions bring every stamp back, once (I3, I4)', async () => {
    const before = Number(await fixture.anvil.request('eth_blockNumber', []));
    const requests = Array.from({ length: 5 }, () =>
      stampRequest(account, { set: { kind: 'named', name: 'Reorged' } }),
    );
    await fixture.request(...requests);
    await fixture.settle();
    // A fork without our transactions: neither the chain nor the node's pool has them.
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    const reverted = await fixture.revertTo(before);
    expect(reverted.reverted).toBe(5);
    expect(await fixture.events('CollectionReverted')).toHaveLength(1);
    const joining = await fixture.request(
      stampRequest(account, { objectCid: requests[0]!.objectCid, set: { kind: 'named', name: 'Reorged' } }),
    );
    expect(joining.counts).toMatchObject({ joined: 1 });

    const stored = await fixture.rows(
      `select encode(t.raw, 'hex') as raw from batches b join transactions t on t.batch_id = b.id where b.status = 'signed' order by b.nonce`,
    );
    await fixture.anvil.mine(1);
    for (const { raw } of stored) await fixture.rpc.call('eth_sendRawTransaction', [`0x${raw}`]);
    const outcome = await fixture.settle();
    expect(outcome).toMatchObject({ confirmed: 5, unmatched: [] });
    for (const request of requests) {
      const receipts = await receiptsOf(request.requestId);
      expect(receipts).toHaveLength(2);
      expect(receipts[1]?.blockHash).not.toBe(receipts[0]?.blockHash);
      const logs = await fixture.rpc.call<unknown[]>('eth_getLogs', [
        { address: fixture.contract, fromBlock: '0x0', topics: [null, null, null, request.objectCid] },
      ]);
      expect(logs).toHaveLength(1);
    }
  });

  it('a reorg below finality brings its stamps back as well, and their batch is final a second time (I3, I4, I5)', async () => {
    const before = Number(await fixture.anvil.request('eth_blockNumber', []));
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    await fixture.finalize();
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    expect((await fixture.revertTo(before)).reverted).toBe(1);
    expect(await fixture.rows('select finalized from chain_cursor')).toEqual([{ finalized: before }]);
    await fixture.anvil.mine(1);
    await fixture.tend();
    expect(await fixture.settle()).toMatchObject({ confirmed: 1, unmatched: [] });
    const receipts = await receiptsOf(request.requestId);
    expect(receipts).toHaveLength(2);
    expect(receipts[1]?.blockHash).not.toBe(receipts[0]?.blockHash);
    await fixture.finalize();
    const finalized = (await fixture.events('StampsFinalized')).flatMap(({ data }) => data.stampIds as string[]);
    expect(finalized.filter((id) => id === request.requestId)).toHaveLength(2);
  });

  it('an account that revoked its grant is not stamped for: what waits fails with the reason (I6)', async () => {
    const leaving = await fixture.openAccount(2);
    await fixture.settle();
    const head = Number(await fixture.anvil.request('eth_blockNumber', []));
    const waiting = stampRequest(leaving);
    await fixture.request(waiting);
    const revoked = await fixture.blockMessage(head);
    const next = {
      ...revoked.data,
      number: head + 1,
      parentHash: revoked.data.hash,
      hash: `0x${'ee'.repeat(32)}` as Hex,
      logs: [
        {
          kind: 'revoke' as const,
          transactionHash: `0x${'dd'.repeat(32)}` as Hex,
          logIndex: 0,
          user: leaving,
          delegate: fixture.operator,
        },
      ],
    };
    const { replies } = await handleChainFacts(fixture.facts, [incoming(revoked.contract, next)]);
    expect(replies.map(({ reply }) => reply)).toEqual([
      expect.objectContaining({
        requestId: waiting.requestId,
        kind: 'refused',
        refusal: expect.objectContaining({ code: 'grant-revoked' }),
      }),
    ]);
    const later = await fixture.request(stampRequest(leaving));
    expect(later.counts).toMatchObject({ refused: 1 });
    await fixture.revertTo(head, next);
  });

  it('final blocks make their batches final, and report it', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    await fixture.finalize();
    const finalized = (await fixture.events('StampsFinalized')).flatMap(({ data }) => data.stampIds as string[]);
    expect(finalized).toContain(request.requestId);
    expect(await fixture.rows(`select 1 from batches where status = 'included'`)).toEqual([]);
  });
});

describe('with confirmation depth 3', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await createFixture({ confirmation: 3 });
  });
  afterAll(() => fixture.dispose());

  it('a stamp is confirmed when its block has two more above it (I1)', async () => {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    const request = stampRequest(account, { set: { kind: 'named', name: 'Deep' } });
    await fixture.request(request);
    expect((await fixture.settle()).confirmed).toBe(0);
    await fixture.anvil.mine(1);
    expect((await fixture.readChain()).confirmed).toBe(0);
    await fixture.anvil.mine(1);
    const outcome = await fixture.readChain();
    expect(outcome.confirmed).toBe(1);
    expect(outcome.replies.map(({ reply }) => reply.kind)).toEqual(['confirmed']);
  });
});

describe.each([
  ['finalized', BlocksFinalized],
  ['safe', BlocksSafe],
] as const)('with confirmation when a block is %s', (confirmation, contract) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await createFixture({ confirmation });
  });
  afterAll(() => fixture.dispose());

  it('a stamp is confirmed when the node says so of its block, and no earlier, however deep it is (I1)', async () => {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    const request = stampRequest(account, { set: { kind: 'named', name: 'Sure' } });
    await fixture.request(request);
    await fixture.settle();
    const number = Number(await fixture.anvil.request('eth_blockNumber', []));
    await fixture.anvil.mine(20);
    expect((await fixture.readChain()).confirmed).toBe(0);
    const mark = (block: number) =>
      handleChainFacts(fixture.facts, [
        incoming<typeof BlocksFinalized | typeof BlocksSafe>(contract, {
          chainId: fixture.chainId,
          number: block,
          hash: `0x${'aa'.repeat(32)}`,
        }),
      ]);
    expect((await mark(number - 1)).confirmed).toBe(0);
    const outcome = await mark(number);
    expect(outcome.confirmed).toBe(1);
    expect(outcome.replies.map(({ reply }) => reply.kind)).toEqual(['confirmed']);
    expect((await mark(number)).confirmed).toBe(0);
    expect(await fixture.rows('select status from stamps where id = $1', [request.requestId])).toEqual([
      { status: 'confirmed' },
    ]);
  });
});

describe('a block in parts', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await createFixture();
  });
  afterAll(() => fixture.dispose());

  it('confirms part by part; after a crash between two, each stamp is confirmed once all the same (I1, I5)', async () => {
    const account = await fixture.openAccount(0);
    await fixture.settle();
    for (let batch = 0; batch < 2; batch++) {
      await fixture.request(...Array.from({ length: 300 }, () => stampRequest(account, { idempotency: null })));
      await fixture.broadcast(await fixture.sign());
    }
    await fixture.anvil.mine(1);
    const { data } = await fixture.blockMessage(Number(await fixture.anvil.request('eth_blockNumber', [])));
    const transactions = [...new Set(data.logs.map(({ transactionHash }) => transactionHash))];
    const parts = transactions.map((transaction, i) =>
      incoming(BlockAppended, {
        ...data,
        part: i + 1,
        parts: transactions.length,
        logs: data.logs.filter(({ transactionHash }) => transactionHash === transaction),
      }),
    );
    const [first] = cutChainFacts(parts);
    expect(await handleChainFacts(fixture.facts, first ?? [])).toMatchObject({ confirmed: 300, unmatched: [] });
    // Nothing was committed to Kafka: all of it comes again.
    const again: number[] = [];
    for (const facts of cutChainFacts(parts)) again.push((await handleChainFacts(fixture.facts, facts)).confirmed);
    expect(again).toEqual([0, 300]);
    const streams = (await fixture.events('StampConfirmed')).map(({ stream }) => stream);
    expect([streams.length, new Set(streams).size]).toEqual([600, 600]);
  });
});
