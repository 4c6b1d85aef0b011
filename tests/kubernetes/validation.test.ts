import { chartFolder, chartVariants } from '@indelible/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { faultsOf, helm, kubectl } from './support/cluster.ts';

jest.setTimeout(120_000);

const render = (args: readonly string[]) => helm('template', 'indelible', chartFolder, ...args);

describe('what the chart renders, judged by the API server with the definitions of KEDA, Strimzi and the other operators', () => {
  beforeAll(async () => {
    // where the cluster of values-production.yaml is, and its topics and users are made
    await kubectl('create', 'namespace', 'kafka');
  });

  it.each(chartVariants)('$name: every object is valid, and has no field that nobody knows', async ({ args }) => {
    expect(await faultsOf(await render(args))).toBeUndefined();
  });

  it.each([
    ['ScaledObject', 'minReplicaCount:', 'minReplicas:'],
    ['Service', 'targetPort:', 'targetPorts:'],
    ['KafkaUser', 'patternType:', 'pattern:'],
  ])('refuses a %s whose field %s is misspelled as %s', async (kind, known, misspelled) => {
    const production = chartVariants.find(({ name }) => name === 'production');
    const document = await render(production?.args ?? []);
    expect(document).toContain(known);
    const faults = await faultsOf(document.replaceAll(known, misspelled));
    expect(faults).toContain(misspelled.slice(0, -1));
    expect(faults).toContain(kind);
  });
});
