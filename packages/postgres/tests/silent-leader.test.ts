import { once } from 'node:events';
import { createLogger } from '@indelible/service-runtime';
import { eventually, type SilenceProxy, silenceProxy, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLeadership } from '../src/index.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
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

it('a leader whose server is silent on an open connection stops leading within 15 s, and leads again later (I11)', async () => {
  let leads = 0;
  let losses = 0;
  const leadership = createLeadership({
    url: proxy.url,
    name: 'silent',
    logger,
    retryMs: 100,
    lead: async (_, signal) => {
      leads += 1;
      await once(signal, 'abort');
      losses += 1;
    },
  });
  await leadership.start();
  try {
    await eventually(() => expect(leads).toBe(1));
    proxy.silence(true);
    await eventually(() => expect(losses).toBe(1), { timeoutMs: 15_000 });
    expect(leadership.leading()).toBe(false);
    proxy.silence(false);
    await eventually(() => expect(leads).toBe(2), { timeoutMs: 30_000 });
  } finally {
    await leadership.stop();
  }
});
