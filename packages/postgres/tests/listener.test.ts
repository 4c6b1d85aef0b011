import { createLogger } from '@indelible/service-runtime';
import { eventually, type SilenceProxy, silenceProxy, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createListener } from '../src/index.ts';

let stored: Awaited<ReturnType<typeof testDatabase>>;
let proxy: SilenceProxy;
beforeAll(async () => {
  stored = await testDatabase();
  proxy = await silenceProxy(stored.url);
});
afterAll(async () => {
  proxy.close();
  await stored.drop();
});

it('a listener whose server is silent is not ready within 15 s, and receives notifications again later (I11)', async () => {
  const received: string[] = [];
  let connections = 0;
  const listener = createListener({
    name: 'test listener',
    url: proxy.url,
    applicationName: 'test',
    channel: 'work',
    logger: createLogger({ service: 'test', level: 'silent' }),
    listensFor: 'work',
    onNotification: (payload) => received.push(payload),
    onListening: () => (connections += 1),
  });
  await listener.start();
  try {
    await eventually(() => expect(listener.ready()).toBe(true));
    expect(connections).toBe(1);
    proxy.silence(true);
    await eventually(() => expect(listener.ready()).toBe(false), { timeoutMs: 15_000 });
    proxy.silence(false);
    await eventually(() => expect(listener.ready()).toBe(true), { timeoutMs: 30_000 });
    expect(connections).toBe(2);
    await stored.pool.query('select pg_notify($1, $2)', ['work', 'waiting']);
    await eventually(() => expect(received).toEqual(['waiting']));
  } finally {
    await listener.stop();
  }
});
