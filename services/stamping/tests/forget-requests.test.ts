import type { Hex } from '@indelible/identifiers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { forgetRequests } from '../src/requests/forget-requests.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeAll(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterAll(() => fixture.dispose());

const count = async (type: string) => (await fixture.events(type)).length;

it('requests that made no stamp are forgotten when they are old and published, and nothing else is', async () => {
  const stamp = stampRequest(account);
  await fixture.request(stamp);
  await fixture.settle();
  const repeat = () => fixture.request(stampRequest(account, { objectCid: stamp.objectCid }));
  await Promise.all([repeat(), repeat()]);
  await fixture.request(stampRequest(account, { set: { kind: 'registered', cid: stamp.objectCid } }));
  expect(await forgetRequests(fixture.database)).toBe(0);
  await fixture.pool.query(`update stamping.events set recorded_at = now() - interval '31 days'`);
  // Not published yet: the outbox still needs them.
  expect(await forgetRequests(fixture.database)).toBe(0);
  await fixture.pool.query('update stamping.relay_cursor set position = (select max(position) from stamping.events)');
  const [stream] = (await fixture.events('StampRequestRefused')).map((event) => event.stream);
  await fixture.pool.query('insert into stamping.relay_held (stream, version) values ($1, 1)', [stream]);
  expect(await forgetRequests(fixture.database)).toBe(2);
  await fixture.pool.query('delete from stamping.relay_held');
  expect(await forgetRequests(fixture.database)).toBe(1);
  expect(await Promise.all([count('StampRequestJoined'), count('StampRequestRefused')])).toEqual([0, 0]);
  expect(await Promise.all([count('StampRequested'), count('StampConfirmed')])).toEqual([1, 1]);
});
