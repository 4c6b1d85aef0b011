import { cidOfContent, type Hex } from '@indelible/identifiers';
import type { RequestStamp } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import {
  type Account,
  type AnyBody,
  formOf,
  type Gateway,
  type GatewayResponse,
  startGateway,
} from './gateway-harness.ts';

let gateway: Gateway;
let other: string;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway({ waitLimitMs: 15_000 });
  other = await gateway.startReplica();
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

let commandsBefore = 0;
beforeEach(() => {
  commandsBefore = gateway.stamping.commands.length;
  gateway.stamping.confirmAll();
});
afterEach(() => gateway.statuses.setAway(false));
const newCommands = (): readonly RequestStamp[] => gateway.stamping.commands.slice(commandsBefore);

let contents = 0;
const freshCid = (): Hex => cidOfContent(`statuses ${contents++}`);
const post = (fields: Record<string, string | Blob>, headers = {}): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(ada, '/stamps', { method: 'POST', body: formOf(fields), headers });
const statusOf = (id: string, at = gateway.base): Promise<GatewayResponse<AnyBody>> =>
  gateway.send(ada, `${at}/stamps/${id}`);
const accepted = async (): Promise<string> => {
  gateway.stamping.script((command) => gateway.stamping.accept(command));
  return (await post({ data_cid: freshCid() }, { Prefer: 'respond-async' })).body.id as string;
};

it('are the same on every replica at once, whichever named the resource (I6, I9)', async () => {
  const id = await accepted();
  const answers = await Promise.all([gateway.base, other].map((at) => statusOf(id, at)));
  expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
    [200, 'accepted'],
    [200, 'accepted'],
  ]);
});

it('are 503 with Retry-After while stamping is down, and nothing else is (I6, I11)', async () => {
  const id = await accepted();
  gateway.stamping.confirmAll();
  gateway.statuses.setAway(true);
  const answers = await Promise.all([
    statusOf(id),
    gateway.send(ada, '/stamps/status', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ids: [id] }),
    }),
  ]);
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  expect((await post({ data_cid: freshCid() })).status).toBe(201);
  gateway.stamping.script((command) => gateway.stamping.join(command, id));
  expect(await post({ data_cid: freshCid() }, { Prefer: 'respond-async' })).toMatchObject({
    status: 202,
    body: { id },
  });
  gateway.statuses.setAway(false);
  expect(await statusOf(id)).toMatchObject({ status: 200, body: { id } });
});

it('of a kept answer are 503 while stamping is down, and the current answer when it is back (I4)', async () => {
  const key = { 'Idempotency-Key': `statuses ${contents++}` };
  const fields = { data_cid: freshCid() };
  const first = await post(fields, key);
  expect(first.status).toBe(201);
  gateway.statuses.setAway(true);
  expect((await post(fields, key)).status).toBe(503);
  gateway.statuses.setAway(false);
  expect(await post(fields, key)).toMatchObject({ status: 201, body: first.body });
  const [command] = newCommands() as [RequestStamp];
  gateway.statuses.change(command.requestId, { status: 'submitted', receipt: null });
  const reverted = await post(fields, key);
  expect([reverted.status, reverted.headers.get('Location')]).toEqual([503, `/api/v1/stamps/${command.requestId}`]);
  expect(newCommands()).toHaveLength(1);
});

it('are looked up for all requests whose replies are lost, together, and again when stamping is back (I11)', async () => {
  gateway.stamping.script(async () => {});
  gateway.statuses.setAway(true);
  const cids = Array.from({ length: 20 }, freshCid);
  const answers = Promise.all(cids.map((cid) => post({ data_cid: cid })));
  await eventually(() => expect(newCommands()).toHaveLength(20));
  // As if all replies were lost: stamping confirms, and nobody is notified.
  for (const command of newCommands()) await gateway.stamping.confirm({ ...command, replyTo: null });
  const lookedBefore = gateway.statuses.lookups.length;
  gateway.statuses.setAway(false);
  expect((await answers).map(({ status }) => status)).toEqual(cids.map(() => 201));
  const looked = gateway.statuses.lookups.slice(lookedBefore);
  expect(new Set(looked.flat())).toEqual(new Set(newCommands().map(({ requestId }) => requestId)));
  expect(looked.length).toBeLessThan(20);
}, 60_000);

it('of a lost reply come with the file, as soon as that is stored', async () => {
  gateway.stamping.script(async (command) => void (await gateway.stamping.confirm({ ...command, replyTo: null })));
  expect(await post({ file: new File([`lost ${contents++}`], 'a.txt') })).toMatchObject({
    status: 201,
    body: { file_object: { file_name: 'stored_a.txt' } },
  });
}, 60_000);
