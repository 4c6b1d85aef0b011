import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, type TestAnvil, type TestDatabase, testAnvil } from '@indelible/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { alice, type ContractOnAnvil, cid, createContract } from './contract-on-anvil.ts';
import {
  configFor,
  createTopic,
  migratedDatabase,
  type Replica,
  startReplica,
  type Topic,
  toldOfAll,
} from './indexer-harness.ts';

jest.setTimeout(30_000);

type Request = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown };

let chain: TestAnvil;
let contract: ContractOnAnvil;
let database: TestDatabase;
let topic: Topic;
let replica: Replica | undefined;
let proxy: Server;
/** Changes an answer of the node before the indexer sees it. */
let distort: (request: Request, answer: Answer) => Answer;
let asked: Request[];

const forward = async (body: string): Promise<string> => {
  const response = await fetch(chain.rpcUrl, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  const requests = [JSON.parse(body)].flat() as Request[];
  asked.push(...requests);
  const answer = (await response.json()) as Answer | Answer[];
  const changed = [answer].flat().map((each) => {
    const request = requests.find(({ id }) => id === each.id);
    return request === undefined ? each : distort(request, each);
  });
  return JSON.stringify(Array.isArray(answer) ? changed : changed[0]);
};
const start = async (): Promise<void> => {
  const { port } = proxy.address() as AddressInfo;
  const config = configFor(database, `http://127.0.0.1:${port}`, contract.address, { wsUrls: [] });
  replica = await startReplica(config, topic);
};

beforeEach(async () => {
  [chain, database] = await Promise.all([testAnvil({ automine: false }), migratedDatabase()]);
  contract = await createContract(chain);
  topic = createTopic();
  asked = [];
  distort = (_, answer) => answer;
  proxy = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await forward(Buffer.concat(chunks).toString()).catch(() => undefined);
    if (answer === undefined) response.destroy();
    else response.end(answer);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await replica?.stop();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await Promise.all([chain.stop(), database.drop()]);
});

describe('the indexer of a faulty node', () => {
  it('takes the logs of receipts when the node leaves them out, so that no commitment is missed', async () => {
    distort = ({ method }, answer) => (method === 'eth_getLogs' ? { ...answer, result: [] } : answer);
    await contract.addObject(alice, cid(1));
    await contract.addObject(alice, cid(2));
    await chain.mine();
    await start();
    const blocks = await toldOfAll(topic, chain);
    expect(blocks.at(-1)?.logs).toMatchObject([{ objectCid: cid(1) }, { objectCid: cid(2) }]);
  });
  it('waits for logs of a block the node has not indexed yet', async () => {
    let refusals = 3;
    distort = ({ method }, { id, ...answer }) => {
      if (method !== 'eth_getLogs' || refusals === 0) return { id, ...answer };
      refusals--;
      return { id, error: { code: -32000, message: 'unknown block' } };
    };
    await contract.addObject(alice, cid(1));
    await chain.mine();
    await start();
    expect((await toldOfAll(topic, chain)).at(-1)?.logs).toHaveLength(1);
    expect(refusals).toBe(0);
  });
  it('does not ask for logs where the filter of the block rules them out', async () => {
    await chain.mine(20);
    await start();
    await toldOfAll(topic, chain);
    expect(asked.map(({ method }) => method)).not.toContain('eth_getLogs');
    expect(asked.map(({ method }) => method)).not.toContain('eth_getBlockReceipts');
  });
  it('publishes nothing of a node of another chain, and is not ready', async () => {
    distort = ({ method }, answer) => (method === 'eth_chainId' ? { ...answer, result: '0x1' } : answer);
    await start();
    await chain.mine(3);
    await eventually(() => expect(asked.filter(({ method }) => method === 'eth_chainId').length).toBeGreaterThan(0));
    await eventually(async () => {
      const response = await fetch(`http://127.0.0.1:${replica?.port()}/health/ready`);
      expect(await response.json()).toMatchObject({ status: 'waiting', waiting: ['follower of chain 31337'] });
    });
    expect(topic.messages).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${replica?.port()}/internal/head`)).status).toBe(503);
  });
  it('goes on when the node was away', async () => {
    await start();
    await toldOfAll(topic, chain);
    let away = true;
    distort = (_, answer) => {
      if (away) throw new Error('away');
      return answer;
    };
    await chain.mine(3);
    const count = asked.length;
    await eventually(() => expect(asked.length).toBeGreaterThan(count + 2));
    away = false;
    expect(await toldOfAll(topic, chain)).toHaveLength(4);
  });
});
