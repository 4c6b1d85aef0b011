import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocketServer } from 'ws';
import { createRpc, followHead, getBlockByNumber, type Head, type Rpc } from '../src/index.ts';
import { type Anvil, startAnvil } from './anvil.ts';

let anvil: Anvil;
let rpc: Rpc;
let stop: AbortController;
let heads: Head[];
let waiting: { number: number; resolve: (head: Head) => void }[];

const onHead = (head: Head): void => {
  heads.push(head);
  for (const { number, resolve } of waiting) if (head.number >= number) resolve(head);
};
/** The first head at or above a number. */
const headAt = (number: number): Promise<Head> => {
  const known = heads.find((head) => head.number >= number);
  return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push({ number, resolve }));
};
const mine = () => rpc.call('anvil_mine', ['0x1']);

beforeEach(async () => {
  heads = [];
  waiting = [];
  stop = new AbortController();
  anvil = await startAnvil(['--no-mining']);
  rpc = createRpc({ urls: [anvil.url], timeoutMs: 2_000 });
});
afterEach(async () => {
  stop.abort();
  rpc.close();
  await anvil.stop();
});

describe('following the head', () => {
  it('reports the current head, and each new one by subscription, without polling', async () => {
    const settings = { rpc, urls: [anvil.url], pollIntervalMs: 3_600_000, watchdogMs: 3_600_000, signal: stop.signal };
    const follower = followHead({ ...settings, onHead });
    expect(await headAt(0)).toMatchObject({ number: 0 });
    for (const number of [1, 2, 3]) {
      await mine();
      const block = await getBlockByNumber(rpc, number);
      const { hash, parentHash, timestamp, logsBloom } = block as Head;
      // The first may come of asking once when the subscription stands, in either order.
      expect(await headAt(number)).toEqual(expect.objectContaining({ number, hash, parentHash, timestamp, logsBloom }));
    }
    stop.abort();
    await follower.done;
  });
  it('refuses an endpoint that is none at once, and does not repeat it (I10)', () => {
    const follow = (url: string) => () =>
      followHead({ rpc, urls: [], wsUrls: [url], pollIntervalMs: 5, signal: stop.signal, onHead });
    expect(follow('s3cret')).toThrow(TypeError);
    expect(follow('ftp://s3cret')).toThrow(/^(?!.*s3cret)/);
  });
  it('polls where there is no subscription to be had', async () => {
    const follower = followHead({ rpc, urls: [], wsUrls: [], pollIntervalMs: 5, signal: stop.signal, onHead });
    await mine();
    expect(await headAt(1)).toMatchObject({ number: 1 });
    stop.abort();
    await follower.done;
  });
  it('polls while the subscription is refused, and outlives faults of the node', async () => {
    const follower = followHead({
      rpc,
      urls: [],
      wsUrls: ['ws://127.0.0.1:1'],
      pollIntervalMs: 5,
      signal: stop.signal,
      onHead,
    });
    await headAt(0);
    await anvil.stop();
    anvil = await startAnvil(['--no-mining'], new URL(anvil.url).port);
    await mine();
    expect(await headAt(1)).toMatchObject({ number: 1 });
    stop.abort();
    await follower.done;
  });
  it('asks when a subscription is silent, and makes a new one when it had missed a head', async () => {
    const silent = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await new Promise((resolve) => silent.once('listening', resolve));
    let connections = 0;
    const again = new Promise<void>((resolve) => {
      silent.on('connection', (socket) => {
        connections++;
        if (connections > 1) resolve();
        socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}'));
      });
    });
    const { port } = silent.address() as { port: number };
    const follower = followHead({
      rpc,
      urls: [],
      wsUrls: [`ws://127.0.0.1:${port}`],
      pollIntervalMs: 3_600_000,
      watchdogMs: 20,
      signal: stop.signal,
      onHead,
    });
    await headAt(0);
    await mine();
    expect(await headAt(1)).toMatchObject({ number: 1 });
    await mine();
    expect(await headAt(2)).toMatchObject({ number: 2 });
    await again;
    stop.abort();
    await follower.done;
    await new Promise((resolve) => silent.close(resolve));
  });
});
