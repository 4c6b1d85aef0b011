import { spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TEST_FOLDER, WORKSPACE } from '../environment.ts';
import { type ChartTools, kubernetesVersions } from './chart-tools.ts';
import { chartFolder, chartVariants } from './variants.ts';

export type Check = { readonly name: string; readonly run: (signal: AbortSignal) => Promise<CheckResult> };
export type CheckResult = { readonly ok: boolean; readonly output: string };

const OUTPUT = join(TEST_FOLDER, 'chart');

/** Operators' kinds, without a schema in Kubernetes; the unit tests check them. */
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

/**
 * Checks of kube-score that the chart declines, with reasons; also CPU limits, which slow a service down on a node with
 * spare time.
 */
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
      run: (signal: AbortSignal) =>
        execute(tools.helm, ['lint', '--strict', chartFolder, '-f', join(chartFolder, values)], signal),
    })),
    ...chartVariants.map(({ name, args }) => ({
      name: `helm template ${name}`,
      run: async (signal: AbortSignal) => {
        await mkdir(OUTPUT, { recursive: true });
        await rm(rendered(name), { force: true });
        const result = await execute(
          tools.helm,
          ['template', 'indelible', chartFolder, '--namespace', 'indelible', ...args],
          signal,
        );
        if (result.ok) await writeFile(rendered(name), result.stdout);
        return result;
      },
    })),
    ...chartVariants.flatMap(({ name }) =>
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
      run: (signal) => execute(tools.unittest, [chartFolder], signal),
    },
    ...chartVariants.map(({ name }) => ({
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

/** Success is exit code 0; `output` is both streams together. */
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
