import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { provideTool } from '../provide-tool.ts';
import type { Cluster } from './cluster.ts';
import { serviceBeside } from './control-plane.ts';
import { GO_REMEDY, goModule } from './go-module.ts';

const MODULE = 'github.com/kedacore/keda/v2';
/** Of its definitions, too (definitions.ts). */
const VERSION = '2.21.0';
const NAMESPACE = 'keda';
const METRICS_PORT = 36_443;

/** KEDA's operator, which watches lag, and its adapter, which reports it to the API server. */
export type Keda = { readonly operator: string; readonly adapter: string };

/** Builds KEDA's programs: some twelve minutes of CPU once. */
export async function provideKeda(tools: ToolEnvironment, signal: AbortSignal): Promise<Keda> {
  const folder = await provideTool(tools, signal, {
    name: 'keda',
    version: VERSION,
    needs: { go: GO_REMEDY },
    make: async (run, folder) => {
      // its module file replaces others, so it is built as a dependency of a module with the same file
      const source = await goModule(tools, signal, `${MODULE}@v${VERSION}`);
      const file = await readFile(join(source, 'go.mod'), 'utf8');
      await writeFile(join(folder, 'go.mod'), file.replace(/^module .*$/m, 'module localhost/keda'));
      await writeFile(join(folder, 'go.sum'), await readFile(join(source, 'go.sum')));
      const environment = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
      await run('go', ['mod', 'edit', `-require=${MODULE}@v${VERSION}`], environment);
      // one at a time: each takes gigabytes to link
      for (const part of ['operator', 'adapter'])
        await run('go', ['build', '-trimpath', '-ldflags=-s', '-o', part, `${MODULE}/cmd/${part}`], environment);
    },
  });
  return { operator: join(folder, 'operator'), adapter: join(folder, 'adapter') };
}

/** Runs KEDA beside the cluster, and makes it the source of the API server's external metrics. */
export async function startKeda(cluster: Cluster, { operator, adapter }: Keda): Promise<void> {
  const env = { WATCH_NAMESPACE: '', KEDA_CLUSTER_OBJECT_NAMESPACE: NAMESPACE, POD_NAMESPACE: NAMESPACE };
  const { kubeconfig, besideKeys } = cluster;
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }]);
  await cluster.startBeside(
    {
      name: 'keda-operator',
      words: [
        ...[operator, `--kubeconfig=${kubeconfig}`, `--cert-dir=${besideKeys}`, '--leader-elect=false'],
        ...['--metrics-bind-address=:38080', '--health-probe-bind-address=:38081'],
      ],
    },
    { ...env, POD_NAME: 'keda-operator', OPERATOR_NAME: 'keda-operator' },
  );
  await cluster.startBeside(
    {
      name: 'keda-adapter',
      words: [
        ...[adapter, `--kubeconfig=${kubeconfig}`, `--authentication-kubeconfig=${kubeconfig}`],
        ...[`--authorization-kubeconfig=${kubeconfig}`, `--lister-kubeconfig=${kubeconfig}`],
        ...[`--secure-port=${METRICS_PORT}`, '--metrics-service-address=localhost:9666', `--cert-dir=${besideKeys}`],
        '--port=38090',
      ],
    },
    { ...env, POD_NAME: 'keda-adapter' },
  );
  await cluster.apply([
    ...serviceBeside({ name: 'keda-metrics', namespace: NAMESPACE }, 443, METRICS_PORT),
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.external.metrics.k8s.io' },
      spec: {
        group: 'external.metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 'keda-metrics', namespace: NAMESPACE },
      },
    },
  ]);
}
