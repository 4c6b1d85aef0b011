import { createLogger } from '@indelible/service-runtime';
import { eventually, type SilenceProxy, silenceProxy, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorkListener } from '../src/batching/work-listener.ts';
import { workChannel } from '../src/work-channel.ts';

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

it('the work listener of a silent server is not ready within 15 s, and hears of work again later (I11)', async () => {
  const heard: string[] = [];
  const listener = createWorkListener({
    databaseUrl: proxy.url,
    logger: createLogger({ service: 'test', level: 'silent' }),
    onWork: (work) => heard.push(work),
  });
  await listener.start();
  try {
    await eventually(() => expect(listener.ready?.()).toBe(true));
    proxy.silence(true);
    await eventually(() => expect(listener.ready?.()).toBe(false), { timeoutMs: 15_000 });
    proxy.silence(false);
    await eventually(() => expect(listener.ready?.()).toBe(true), { timeoutMs: 30_000 });
    heard.length = 0;
    await stored.pool.query('select pg_notify($1, $2)', [workChannel, 'waiting']);
    await eventually(() => expect(heard).toContain('waiting'));
  } finally {
    await listener.stop();
  }
});
