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
    ['lagThreshold: "200"', 'metadata', 'ScaledObject', 'minReplicaCount:', 'minReplicas:', 'minReplicas'],
    ['a port', 'spec', 'Service', 'targetPort:', 'targetPorts:', 'targetPorts'],
    ['an ACL', 'spec', 'KafkaUser', 'patternType:', 'pattern:', 'pattern'],
  ])('sees a misspelled field: %s in the %s of a %s', async (_what, _where, _kind, known, misspelled, field) => {
    const production = chartVariants.find(({ name }) => name === 'production');
    const document = await render(production?.args ?? []);
    expect(document).toContain(known);
    expect(await faultsOf(document.replaceAll(known, misspelled), namespace)).toContain(field);
  });
});
