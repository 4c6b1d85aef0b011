import { chartFolder, chartVariants } from '@indelible/testing';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { faultsOf, helm, kubectl } from './support/cluster.ts';

jest.setTimeout(120_000);

const namespace = 'validation';
const render = (args: readonly string[]) =>
  helm('template', 'indelible', chartFolder, '--namespace', namespace, ...args);

describe('what the chart renders, judged by the API server with the definitions of KEDA, Strimzi and the other operators', () => {
  beforeAll(async () => {
    await kubectl('create', 'namespace', namespace);
  });

  it.each(chartVariants)('$name: every object is valid, and has no field that nobody knows', async ({ args }) => {
    expect(await faultsOf(await render(args), namespace)).toBeUndefined();
  });

  it.each([
    ['ScaledObject', 'minReplicaCount:', 'minReplicas:'],
    ['Service', 'targetPort:', 'targetPorts:'],
    ['KafkaUser', 'patternType:', 'pattern:'],
  ])('refuses a %s whose field %s is misspelled as %s', async (kind, known, misspelled) => {
    const production = chartVariants.find(({ name }) => name === 'production');
    const document = await render(production?.args ?? []);
    expect(document).toContain(known);
    const faults = await faultsOf(document.replaceAll(known, misspelled), namespace);
    expect(faults).toContain(misspelled.slice(0, -1));
    expect(faults).toContain(kind);
  });
});
