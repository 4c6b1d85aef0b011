import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_FOLDER, WORKSPACE } from '../environment.ts';
import { type ChartTools, kubernetesVersions } from './chart-tools.ts';

export type Check = { readonly name: string; readonly run: (signal: AbortSignal) => Promise<CheckResult> };
export type CheckResult = { readonly ok: boolean; readonly output: string };

const CHART = join(WORKSPACE, 'deploy', 'helm', 'indelible');
const OUTPUT = join(TEST_FOLDER, 'chart');

/** What is rendered and checked: each file of values, at an installation and at an upgrade, and what neither of them turns on. */
const cases = [
  { name: 'local', args: ['-f', join(CHART, 'values-local.yaml')] },
  { name: 'local-upgrade', args: ['-f', join(CHART, 'values-local.yaml'), '--is-upgrade'] },
  { name: 'production', args: ['-f', join(CHART, 'values-production.yaml')] },
  { name: 'production-upgrade', args: ['-f', join(CHART, 'values-production.yaml'), '--is-upgrade'] },
  {
    name: 'production-route',
    args: [
      ...['-f', join(CHART, 'values-production.yaml')],
      ...['--set', 'httpRoute.enabled=true,httpRoute.parentRefs[0].name=public,ingress.enabled=false'],
      ...['--set', 'blobStore.kind=local,kafka.topicPrefix=blue.'],
    ],
  },
] as const;

/** Kinds of operators, of which Kubernetes has no schema; the unit tests look at them. */
const operatorKinds = [
  'ExternalSecret',
  'HTTPRoute',
  'KafkaTopic',
  'KafkaUser',
  'PrometheusRule',
  'ScaledObject',
  'ServiceMonitor',
  'TriggerAuthentication',
];

/** What kube-score asks for and the chart does not want, with the reason; nor CPU limits, which slow a service down on a node with time to spare. */
const declined: Readonly<Record<string, string>> = {
  'container-security-context-user-group-id': 'the user of the image is 1000, that of its base',
  'container-image-pull-policy': 'images are pinned by tag or digest: pulling them again brings nothing new',
  'statefulset-has-servicename': 'servers of a trial are single, and reached by an ordinary Service',
  'container-security-context-readonlyrootfilesystem':
    "the trial's Kafka image writes beside its program; the unit tests look at the services",
};

export function chartChecks(tools: ChartTools): readonly Check[] {
  const rendered = (name: string) => join(OUTPUT, `${name}.yaml`);
  return [
    ...(['values-local.yaml', 'values-production.yaml'] as const).map((values) => ({
      name: `helm lint ${values}`,
      run: (signal: AbortSignal) => execute(tools.helm, ['lint', '--strict', CHART, '-f', join(CHART, values)], signal),
    })),
    ...cases.map(({ name, args }) => ({
      name: `helm template ${name}`,
      run: async (signal: AbortSignal) => {
        await mkdir(OUTPUT, { recursive: true });
        await rm(rendered(name), { force: true });
        const result = await execute(
          tools.helm,
          ['template', 'indelible', CHART, '--namespace', 'indelible', ...args],
          signal,
        );
        if (result.ok) await writeFile(rendered(name), result.stdout);
        return result;
      },
    })),
    ...cases.flatMap(({ name }) =>
      kubernetesVersions.map((version) => ({
        name: `kubeconform ${name} Kubernetes ${version}`,
        run: (signal: AbortSignal) =>
          execute(
            tools.kubeconform,
            [
              ...['-strict', '-summary', '-skip', operatorKinds.join(',')],
              ...['-kubernetes-version', version, '-schema-location', tools.schemas, rendered(name)],
            ],
            signal,
          ),
      })),
    ),
    {
      name: 'helm-unittest',
      run: (signal) => execute(tools.unittest, [CHART], signal),
    },
    ...cases.map(({ name }) => ({
      name: `kube-score ${name}`,
      run: (signal: AbortSignal) =>
        execute(
          tools.kubeScore,
          [
            'score',
            '-o',
            'ci',
            '--ignore-container-cpu-limit',
            ...Object.keys(declined).flatMap((test) => ['--ignore-test', test]),
            rendered(name),
          ],
          signal,
        ),
    })),
  ];
}

/** It is well when the program ended with 0; `output` is both streams together. */
function execute(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<CheckResult & { readonly stdout: string }> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let output = '';
    const child = spawn(program, args, { cwd: WORKSPACE, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ok: code === 0, output, stdout }));
  });
}
