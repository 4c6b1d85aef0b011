import { serviceNames } from '@indelible/launcher';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type RunningStack, startRunningStack } from '../e2e/support/running-stack.ts';
import { type Monitoring, startMonitoring } from './support/monitoring.ts';

jest.setTimeout(240_000);

let running: RunningStack;
let monitoring: Monitoring;
beforeAll(async () => {
  running = await startRunningStack();
  monitoring = await startMonitoring(running.connection.internalUrls);
});
afterAll(async () => {
  await monitoring?.stop();
  await running?.stop();
});

const within = { timeoutMs: 120_000 };
const received = (name: string) => eventually(() => expect(monitoring.firing()).toContain(name), within);
const over = (name: string) => eventually(() => expect(monitoring.firing()).not.toContain(name), within);

describe('a receiver of the alerts', () => {
  it('hears nothing of a product that works', async () => {
    expect((await running.client.stamp({ file: new Blob(['quiet']) }, 'quiet.txt')).status).toBe(201);
    await eventually(async () => expect(await monitoring.up()).toBe(serviceNames.length), within);
    // Before its first scrape Prometheus knows no service.
    await eventually(() => expect(monitoring.firing()).toEqual([]), within);
  });

  it('hears of a chain that stands still, of the stamps that wait for it and of the lane, until it goes on', async () => {
    const effects = ['IndelibleIndexerBehind', 'IndelibleStampUnconfirmed', 'IndelibleLaneJammed'];
    await running.anvil.request('evm_setIntervalMining', [0]);
    const waiting = running.client.stamp({ file: new Blob(['waits']) }, 'waits.txt').catch(() => undefined);
    for (const name of effects) await received(name);
    await running.anvil.request('evm_setIntervalMining', [1]);
    for (const name of effects) await over(name);
    await waiting;
  });

  it('hears of a service that is not there', async () => {
    await running.stack.services.storage.stop();
    await received('IndelibleServiceAbsent');
  });
});
