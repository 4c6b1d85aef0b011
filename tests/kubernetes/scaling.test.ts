import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Audited, expectAllConfirmed, expectOnceOnChain } from '../rolling-updates/support/audit.ts';
import { untilFirstStamp } from '../rolling-updates/support/first-stamp.ts';
import { startLoad } from '../rolling-updates/support/load.ts';
import { kubectl } from './support/cluster.ts';
import { installationIn, lanes, offerVolumes } from './support/installation.ts';

jest.setTimeout(15 * 60_000);

const namespace = 'scaling';
const installation = installationIn(namespace, { keeps: false });
// the load below leaves some 10 to 50 commands unhandled: with this threshold any look at them is enough for all replicas
const lag = [{ topic: 'commands.stamps', group: 'stamping.requests', threshold: 5 }];

describe('the chart with KEDA', () => {
  let audited: Audited;

  beforeAll(async () => {
    await offerVolumes(['five']);
    await installation.install('local', 1, { autoscaling: { type: 'keda', min: 1, max: lanes, lag } });
    audited = await installation.audited();
    await untilFirstStamp(installation.apiUrl, audited.provisioned.apiKey);
  });
  afterAll(async () => {
    await audited?.pool.end();
    await installation.uninstall();
    await kubectl('delete', 'namespace', namespace, '--timeout=3m');
  });

  it('scales stamping by the lag of its consumers, and everything is on the chain once (I1, I2, I6)', async () => {
    const wait = ['wait', 'scaledobject/indelible-stamping', '--for=condition=Ready', '--timeout=3m'];
    await installation.kubectl(...wait);
    expect(await installation.pods('stamping')).toHaveLength(1);
    // one replica may answer so many clients 503 until there are more: they send again, as the contract has it
    const clients = { stamping: 64, lookingUp: 0, patient: true };
    const load = startLoad(installation.apiUrl, audited.provisioned.apiKey, clients);
    try {
      await eventually(
        async () => {
          const ready = (await installation.pods('stamping')).filter((pod) => pod.ready);
          expect(ready).toHaveLength(lanes);
        },
        { timeoutMs: 300_000, intervalMs: 2_000 },
      );
    } finally {
      await load.finish();
    }
    expect(load.failures).toEqual([]);
    // what was answered with a status resource, or as a pending line, may be on its way still
    await eventually(() => expectOnceOnChain(audited, load), { timeoutMs: 120_000, intervalMs: 2_000 });
    await expectAllConfirmed(audited, load);
  });
});
