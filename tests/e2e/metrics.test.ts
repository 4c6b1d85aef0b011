import { serviceNames } from '@indelible/launcher';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { documentedMetrics } from '../docs/documented-metrics.ts';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';
import { type Family, familiesOf } from './support/scrape.ts';

jest.setTimeout(120_000);

let running: RunningStack;
beforeAll(async () => {
  running = await startRunningStack();
});
afterAll(() => running?.stop());

const scrape = async (service: (typeof serviceNames)[number]): Promise<ReadonlyMap<string, Family>> =>
  familiesOf(await (await fetch(`${running.connection.internalUrls[service]}/metrics`)).text());

/** Of Linux alone. */
const elsewhereAbsent = /^process_(virtual_memory_bytes|heap_bytes|open_fds|max_fds)$/;

/** How many observations each stage has, of all services. */
async function stageCounts(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const service of serviceNames)
    for (const { name, labels, value } of (await scrape(service)).get('indelible_stage_duration_seconds')?.samples ??
      [])
      if (name.endsWith('_count')) counts[labels.stage ?? ''] = (counts[labels.stage ?? ''] ?? 0) + value;
  return counts;
}

describe('the metrics of a running product', () => {
  it('are those of docs/metrics.md, by name, type and labels, in each service', async () => {
    const documented = documentedMetrics();
    for (const service of serviceNames) {
      const expected = documented.filter(({ services }) => services.includes('all') || services.includes(service));
      const found = [...(await scrape(service))].filter(([name]) => !elsewhereAbsent.test(name));
      expect([service, Object.fromEntries(found.map(([name, { type }]) => [name, type]))]).toEqual([
        service,
        Object.fromEntries(expected.map(({ name, type }) => [name, type])),
      ]);
      const labelsOf = new Map(expected.map(({ name, labels }) => [name, [...labels, 'le', 'quantile']]));
      const unnamed = found.flatMap(([name, { samples }]) =>
        samples.flatMap(({ labels }) =>
          Object.keys(labels)
            .filter((label) => !labelsOf.get(name)?.includes(label))
            .map((label) => `${name}{${label}}`),
        ),
      );
      expect([service, unnamed]).toEqual([service, []]);
    }
  });

  it('have an observation of each stage that a stamp went through', async () => {
    const { status } = await running.client.stamp(
      { file: new Blob(['measured']), collection_name: 'Measured' },
      'm.txt',
    );
    expect(status).toBe(201);
    const passed = ['accept', 'decide', 'batch', 'broadcast', 'index', 'block', 'confirm', 'reply', 'store', 'project'];
    await eventually(async () => {
      const counts = await stageCounts();
      expect([...passed, 'publish', 'publish_public'].filter((stage) => !((counts[stage] ?? 0) > 0))).toEqual([]);
      expect(counts).toMatchObject({ accept: 1, decide: 1, batch: 1, broadcast: 1, block: 1, confirm: 1, store: 1 });
    });
  });

  it('show nothing under way when all is confirmed, and what the lane has left', async () => {
    await eventually(async () => {
      const stamping = await scrape('stamping');
      const values = (name: string) => stamping.get(name)?.samples.map(({ value }) => value);
      expect(values('indelible_stamping_stamps_under_way')).toEqual([0, 0, 0]);
      expect(values('indelible_stamping_oldest_unconfirmed_seconds')).toEqual([0]);
      expect(values('indelible_stamping_lane_pending_transactions')).toEqual([0]);
      expect(values('indelible_stamping_lane_stamps_left')?.[0]).toBeGreaterThan(0);
    });
  });

  it('are all known while every server answers', async () => {
    await eventually(async () => {
      const found = await Promise.all(
        serviceNames.map(async (service) => [...(await scrape(service)).values()].flatMap(({ samples }) => samples)),
      );
      const unknown = found.flat().filter(({ value }) => Number.isNaN(value));
      expect(unknown).toEqual([]);
    });
  });

  it('name the build of each service', async () => {
    for (const service of serviceNames) {
      const [sample] = (await scrape(service)).get('indelible_build_info')?.samples ?? [];
      expect(sample).toMatchObject({ value: 1, labels: { service, version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
    }
  });
});
