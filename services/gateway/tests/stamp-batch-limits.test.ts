import { once } from 'node:events';
import { cidOfContent, type Hex } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';
import { type BatchResult, linesOf, openBatch, postBatch } from './stamp-batch-client.ts';

const limits = { maxBatchLines: 60_000, maxBatchWindow: 2_000, waitLimitMs: 4_000, stalledMs: 2_500 };

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway(limits);
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

let commandsBefore = 0;
beforeEach(() => {
  commandsBefore = gateway.stamping.commands.length;
  gateway.stamping.confirmAll();
});
const newCommands = (): readonly RequestStamp[] => gateway.stamping.commands.slice(commandsBefore);

let contents = 0;
const freshLines = (count: number): { data_cid: Hex }[] =>
  Array.from({ length: count }, () => ({ data_cid: cidOfContent(`limited content ${contents++}`) }));
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.internal}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
const underWay = (): Promise<number> => metric('indelible_gateway_batch_lines_under_way');
const answered = (): Promise<number> => metric('indelible_gateway_batch_lines_total');
async function collect(results: AsyncIterable<BatchResult>): Promise<BatchResult[]> {
  const all: BatchResult[] = [];
  for await (const result of results) all.push(result);
  return all;
}

describe('the window', () => {
  /** Invalid lines cost stamping nothing, and their answers are long. */
  const wide = Array.from({ length: 500 }, () => ({ client_ref: 'é'.repeat(200) }));
  async function sendAll(batch: ReturnType<typeof openBatch>, lines: number): Promise<void> {
    for (let sent = 0; sent < lines; sent += wide.length) if (!batch.send(wide)) await once(batch.request, 'drain');
    batch.end();
  }

  it('stays as it is while a client does not read its answers: then the service reads no further; later all are there', async () => {
    const before = await answered();
    const batch = openBatch(gateway, ada);
    const sending = sendAll(batch, limits.maxBatchLines);
    let last = -1;
    await eventually(async () => {
      const count = (await answered()) - before;
      const still = count === last;
      last = count;
      expect(still).toBe(true);
      // A lone batch gets half of the window.
      expect(await underWay()).toBe(limits.maxBatchWindow / 2);
    });
    expect(last).toBeLessThan(limits.maxBatchLines);
    const results = await collect(batch.results());
    await sending;
    expect(results.map(({ line }) => line)).toEqual(Array.from({ length: limits.maxBatchLines }, (_, i) => i + 1));
    expect(await underWay()).toBe(0);
  }, 30_000);

  it('is given back by a client that never reads: it is cut off', async () => {
    const batch = openBatch(gateway, ada);
    batch.request.on('error', () => {});
    sendAll(batch, limits.maxBatchLines).catch(() => {});
    const response = await batch.response;
    response.on('error', () => {});
    await eventually(async () => expect(await underWay()).toBe(limits.maxBatchWindow / 2));
    // A client has ten times as long to read as to send.
    await eventually(async () => expect(await underWay()).toBe(0), { timeoutMs: 15 * limits.stalledMs });
    batch.leave();
  }, 70_000);

  it('is given back when the client disconnects; what was taken is stamped all the same (I6)', async () => {
    gateway.stamping.script((command) => gateway.stamping.accept(command));
    const batch = openBatch(gateway, ada);
    batch.request.on('error', () => {});
    batch.send(freshLines(20));
    await eventually(() => expect(newCommands()).toHaveLength(20));
    batch.leave();
    await eventually(async () => expect(await underWay()).toBe(0));
    for (const command of newCommands()) await gateway.stamping.confirm(command);
    await eventually(async () =>
      expect((await gateway.send(ada, `/stamps/${newCommands()[19]?.requestId}`)).body).toMatchObject({
        status: 'confirmed',
      }),
    );
  });

  it('is not passed by lines that wait for the chain: the next are read when these are answered', async () => {
    const waiting: RequestStamp[] = [];
    gateway.stamping.script(async (command) => void waiting.push(command));
    const batch = openBatch(gateway, ada);
    const lines = freshLines(1_400);
    batch.send(lines);
    batch.end();
    const results = collect(batch.results());
    await eventually(() => expect(waiting).toHaveLength(limits.maxBatchWindow / 2));
    expect(await underWay()).toBe(limits.maxBatchWindow / 2);
    gateway.stamping.confirmAll();
    await Promise.all(waiting.map((command) => gateway.stamping.confirm(command)));
    expect((await results).map(({ line }) => line)).toEqual(lines.map((_, i) => i + 1));
    expect((await results).every(({ status }) => status === 'created' || status === 'pending')).toBe(true);
  }, 30_000);
});

describe('the limits', () => {
  it('of lines: lines over it are not taken, and the response ends with the line to resume from', async () => {
    const body = `${'{}\n'.repeat(limits.maxBatchLines)}${linesOf(freshLines(3))}`;
    const { results } = await postBatch(gateway, ada, body);
    expect(results).toHaveLength(limits.maxBatchLines + 1);
    expect(results.at(-1)).toEqual({
      line: limits.maxBatchLines + 1,
      status: 'ended',
      error: 'the batch is too long',
      details: `at most ${limits.maxBatchLines} lines`,
    });
    expect(newCommands()).toEqual([]);
  }, 30_000);

  it('of time: a body that stalls ends the response after what was taken', async () => {
    const batch = openBatch(gateway, ada);
    batch.send(freshLines(2));
    expect(await collect(batch.results())).toMatchObject([
      { line: 1, status: 'created' },
      { line: 2, status: 'created' },
      { line: 3, status: 'ended', error: 'the request took too long', details: 'its body stood still' },
    ]);
    batch.leave();
  });

  it('of the wait: a line is pending with its id, whose status resource answers at once and shows the outcome (I6)', async () => {
    const lines = freshLines(3);
    const slow = lines[1] as { data_cid: Hex };
    gateway.stamping.script(async (command) => {
      await gateway.stamping.accept(command);
      if (command.objectCid !== slow.data_cid) await gateway.stamping.confirm(command);
    });
    const { results } = await postBatch(gateway, ada, linesOf(lines));
    const command = newCommands().find(({ objectCid }) => objectCid === slow.data_cid) as RequestStamp;
    expect(results).toMatchObject([
      { line: 1, status: 'created' },
      { line: 2, status: 'pending', id: command.requestId },
      { line: 3, status: 'created' },
    ]);
    const path = `/stamps/${command.requestId}`;
    expect(await gateway.send(ada, path)).toMatchObject({ status: 200, body: { object_cid: slow.data_cid } });
    const receipt = await gateway.stamping.confirm(command);
    await eventually(async () => expect((await gateway.send(ada, path)).body).toMatchObject({ status: 'confirmed' }));
    gateway.stamping.script((again) => gateway.stamping.repeat(again, command.requestId, receipt));
    expect((await postBatch(gateway, ada, linesOf([slow]))).results).toMatchObject([{ line: 1, status: 'repeated' }]);
  });
});
