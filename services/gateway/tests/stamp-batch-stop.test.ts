import { cidOfContent } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Account, type Gateway, startGateway } from './gateway-harness.ts';
import { openBatch } from './stamp-batch-client.ts';

let gateway: Gateway;
let ada: Account;
beforeAll(async () => {
  gateway = await startGateway({ drainMs: 300 });
  ada = await gateway.openAccount();
}, 120_000);
afterAll(() => gateway.dispose(), 60_000);

it('a gateway that stops answers the lines that wait with their ids, and takes no further ones (I6)', async () => {
  gateway.stamping.script((command) => gateway.stamping.accept(command));
  const batch = openBatch(gateway, ada);
  const lineOf = (n: number) => ({ data_cid: cidOfContent(`stopped ${n}`) });
  batch.send([lineOf(1), lineOf(2)]);
  await eventually(() => expect(gateway.stamping.commands).toHaveLength(2));
  const stopped = gateway.stopService();
  const results = batch.results();
  const idOf = (n: number) =>
    gateway.stamping.commands.find(({ objectCid }) => objectCid === lineOf(n).data_cid)?.requestId;
  for (const line of [1, 2]) expect((await results.next()).value).toEqual({ line, status: 'pending', id: idOf(line) });
  batch.send([lineOf(3)]);
  expect((await results.next()).value).toMatchObject({ line: 3, status: 'failed', retryable: true });
  batch.end();
  expect((await results.next()).done).toBe(true);
  await stopped;
  expect(gateway.stamping.commands).toHaveLength(2);
  const other = await gateway.startReplica();
  for (const line of [1, 2])
    expect(await gateway.send(ada, `${other}/stamps/${idOf(line)}`)).toMatchObject({
      status: 200,
      body: { id: idOf(line) },
    });
}, 30_000);
