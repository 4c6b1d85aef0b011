import { randomBytes } from 'node:crypto';
import { serviceNames } from '@indelible/launcher';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Client, createClient, type Receipt } from '../e2e/support/client.ts';
import {
  type Audited,
  expectAllConfirmed,
  expectOnceOnChain,
  expectWholeRecords,
} from '../rolling-updates/support/audit.ts';
import { untilFirstStamp } from '../rolling-updates/support/first-stamp.ts';
import { type Load, startLoad } from '../rolling-updates/support/load.ts';
import { kubectl } from './support/cluster.ts';
import { crash } from './support/crash.ts';
import { installationIn, offerVolumes, serverNames } from './support/installation.ts';

jest.setTimeout(15 * 60_000);

const installation = installationIn('installation', { keeps: true });
const { apiUrl, pods } = installation;

describe('the chart on a cluster of two nodes', () => {
  let client: Client;
  let audited: Audited;
  let kept: { readonly file: Blob; readonly receipt: Receipt };

  beforeAll(async () => {
    await offerVolumes(['one', 'two', 'three', 'four']);
    // it joins later
    await kubectl('cordon', 'node2');
  });
  afterAll(async () => {
    await audited?.pool.end();
    await kubectl('delete', 'namespace', 'installation', '--ignore-not-found', '--timeout=3m');
  });

  const storedFile = async () => {
    const file = new Blob([randomBytes(2_000)]);
    const answer = await client.stamp({ file, collection_name: 'Cluster' });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    expect(answer.body.file_object?.file_path).toContain('/collections/Cluster/stamped/');
    return { file, receipt: answer.body.commitment_receipt };
  };
  /** Under load, which is then audited: no request failed, and everything is on the chain once. */
  const underLoad = async (change: (load: Load) => Promise<void>) => {
    const load = startLoad(apiUrl, audited.provisioned.apiKey, { stamping: 4, lookingUp: 1 });
    try {
      await change(load);
    } finally {
      await load.finish();
    }
    if (load.failures.length > 0) process.stderr.write(await warningsOf('gateway'));
    expect(load.failures).toEqual([]);
    for (const kind of ['cid', 'file', 'batch', 'later', 'async', 'collection', 'verify', 'events', 'me'])
      expect([kind, load.counts[kind]]).toEqual([kind, expect.any(Number)]);
    await expectAllConfirmed(audited, load);
    await expectOnceOnChain(audited, load);
    await expectWholeRecords(audited, load);
  };
  /** The last warnings and errors in the logs of a service's pods. */
  const warningsOf = async (name: string): Promise<string> => {
    const log = await installation.kubectl('logs', `--selector=app.kubernetes.io/component=${name}`, '--tail=-1');
    const lines = log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line));
    return `${lines.slice(-40).join('\n')}\n`;
  };

  const expectOnBothNodes = async () => {
    for (const name of serviceNames)
      expect([name, (await pods(name)).map(({ node }) => node).toSorted()]).toEqual([name, ['node1', 'node2']]);
  };

  it('installs with one command: every pod is ready and none was restarted', async () => {
    await installation.install('local', 1, {});
    for (const pod of await pods(...serviceNames, ...serverNames))
      expect(pod).toMatchObject({ ready: true, restarts: 0, node: 'node1' });
    audited = await installation.audited();
    client = createClient(apiUrl, audited.provisioned.apiKey);
  });

  it('stamps a file through the Service, stores it, and finds the commitment', async () => {
    await untilFirstStamp(apiUrl, audited.provisioned.apiKey);
    kept = await storedFile();
    const { body } = await client.verify([kept.receipt.object_cid]);
    expect(body.stamp_list).toContainEqual(
      expect.objectContaining({ transaction_hash: kept.receipt.transaction_hash }),
    );
  });

  it('spreads a second replica of every service over a node that joins', async () => {
    await kubectl('uncordon', 'node2');
    await installation.upgrade('local', 2, {});
    await expectOnBothNodes();
  });

  it('I1, I2, I5, I6: upgrades every service under load without a failed request', async () => {
    await underLoad(async () => {
      await installation.upgrade('next', 2, {});
    });
    for (const { name, image, restarts, ready } of await pods(...serviceNames))
      expect([name, image, restarts, ready]).toEqual([name, 'indelible:next', 0, true]);
  });

  it('I1, I2, I5, I6: drains a node of the services under load without a failed request', async () => {
    await underLoad(async () => {
      const selector = `app.kubernetes.io/component in (${serviceNames.join(',')})`;
      await kubectl('drain', 'node1', `--pod-selector=${selector}`, '--delete-emptydir-data', '--timeout=10m');
      for (const name of serviceNames)
        await installation.kubectl('rollout', 'status', `deployment/indelible-${name}`, '--timeout=5m');
    });
    for (const pod of await pods(...serviceNames)) expect(pod).toMatchObject({ ready: true, node: 'node2' });
    await kubectl('uncordon', 'node1');
  });

  it('I6: killed services and servers lose nothing that was accepted', async () => {
    const accepted: string[] = [];
    for (const group of [
      ['stamping', 'storage', 'chain-indexer'],
      ['gateway', 'verification', 'notifications'],
      serverNames,
    ] as const) {
      for (let i = 0; i < 10; i++) {
        const file = new Blob([randomBytes(2_000)]);
        const { status, location } = await client.stamp({ file }, 'a.bin', { prefer: 'respond-async' });
        expect([200, 201, 202]).toContain(status);
        accepted.push(String(location));
      }
      await crash(installation, ...group);
    }
    await eventually(
      async () => {
        for (const location of accepted) {
          const { body } = await client.status(location);
          expect(['confirmed', 'finalized']).toContain(body.status);
        }
      },
      { timeoutMs: 180_000, intervalMs: 1_000 },
    );
    await storedFile();
  });

  it('I2: uninstalls, keeps the data, and finds them when it is installed again', async () => {
    await installation.uninstall();
    // pods end in their own time
    await eventually(
      async () => expect((await installation.kubectl('get', 'all', '--output', 'name')).trim()).toBe(''),
      { timeoutMs: 120_000, intervalMs: 1_000 },
    );
    await installation.install('next', 1, {});
    // the nodes route to the Service a little after its pods are ready
    await untilFirstStamp(apiUrl, audited.provisioned.apiKey);
    const { body } = await client.verify([kept.receipt.object_cid]);
    expect(body.stamp_list).toHaveLength(1);
    const { file, receipt } = kept;
    const again = await client.stamp({ file, collection_name: 'Cluster', idempotency_window: '86400' });
    expect([again.status, again.body.commitment_receipt?.transaction_hash]).toEqual([200, receipt.transaction_hash]);
    await storedFile();
  });
});
