import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@indelible/launcher';
import { chartFolder, testKubernetes, testPool } from '@indelible/testing';
import type { Audited } from '../../rolling-updates/support/audit.ts';
import { apply, get, helm, kubectl, withFile } from './cluster.ts';

export const serverNames = ['postgres', 'kafka', 'registry', 'redis', 'anvil'] as const;
export type Component = ServiceName | (typeof serverNames)[number];

/** Images that the nodes have: this release under two tags, of which the second stands for the next. */
export type Tag = 'local' | 'next';

export type Pod = {
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly image: string;
  readonly restarts: number;
  readonly ready: boolean;
};

/** A replica of stamping needs one. */
export const lanes = 3;
const release = 'indelible';

/** A trial as deploy/helm/indelible/README.md installs it, in a namespace of its own. @param keeps whether its data outlive its pods, in volumes */
export function installationIn(namespace: string, { keeps }: { readonly keeps: boolean }) {
  const hostOf = (component: Component): string => `${release}-${component}.${namespace}.svc.cluster.local`;
  const apiUrl = `http://${hostOf('gateway')}:8080`;
  const valuesOf = (tag: Tag, replicas: number, stamping: object) => ({
    image: { repository: 'indelible', tag },
    publicUrl: apiUrl,
    // the chain's keeper is of this project, too: what is upgraded are the services
    trial: { persistence: { enabled: keeps, size: '2Gi' }, images: { localChain: 'indelible:local' } },
    blobStore: { local: { accessMode: 'ReadWriteMany' } },
    defaults: { replicas },
    services: {
      // of this release to itself: docs/upgrades.md says which releases cannot run side by side
      notifications: { strategy: 'RollingUpdate' },
      stamping: { env: { LANES: String(lanes) }, ...stamping },
    },
  });
  const deploy = (verb: 'install' | 'upgrade') => (tag: Tag, replicas: number, stamping: object) =>
    withFile(valuesOf(tag, replicas, stamping), (file) =>
      helm(
        ...[verb, release, chartFolder, '--namespace', namespace, '--create-namespace', '--wait', '--timeout', '10m'],
        ...['--values', join(chartFolder, 'values-local.yaml'), '--values', file],
      ),
    );
  const here = ['--namespace', namespace] as const;

  async function pods(...components: readonly Component[]): Promise<readonly Pod[]> {
    const labels = [
      `app.kubernetes.io/instance=${release}`,
      `app.kubernetes.io/component in (${components.join(',')})`,
    ];
    const { items } = await get<{ items: readonly PodObject[] }>('pods', ...here, '--selector', labels.join(','));
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(podOf);
  }
  async function secret(name: string): Promise<Readonly<Record<string, string>>> {
    const { data } = await get<{ data: Readonly<Record<string, string>> }>('secret', ...here, name);
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    );
  }

  return {
    apiUrl,
    install: deploy('install'),
    upgrade: deploy('upgrade'),
    uninstall: () => helm('uninstall', release, ...here, '--wait', '--timeout', '5m'),
    kubectl: (...args: readonly string[]) => kubectl(...args, ...here),
    pods,
    /** What the answers to clients are compared with; of the first account. The pool is the caller's to end. */
    async audited(): Promise<Audited> {
      const { 'api-key': apiKey = '' } = await secret('indelible-first-account');
      const { databasePassword } = await secret('indelible-trial');
      const contractAddress = await kubectl(
        ...['get', 'configmap', `${release}-contract`, ...here, '--output', 'jsonpath={.data.address}'],
      );
      return {
        rootUrl: apiUrl,
        provisioned: { apiKey, contractAddress },
        addresses: { rpcUrl: `http://${hostOf('anvil')}:8545` },
        pool: testPool(`postgres://indelible:${databasePassword}@${hostOf('postgres')}:5432/indelible`),
      };
    },
  };
}
export type Installation = ReturnType<typeof installationIn>;

const podOf = ({ metadata, spec, status }: PodObject): Pod => ({
  name: metadata.name,
  uid: metadata.uid,
  node: spec.nodeName ?? '',
  image: spec.containers[0]?.image ?? '',
  restarts: Math.min(...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
  ready: (status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True'),
});

/** Volumes for what trials keep and for stored content, on a folder that the nodes share. */
export async function offerVolumes(names: readonly string[]): Promise<void> {
  const { volumes } = testKubernetes();
  for (const name of names) {
    await mkdir(join(volumes, name), { recursive: true });
    await chmod(join(volumes, name), 0o777);
  }
  await apply(
    ...names.map((name) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '5Gi' },
        accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: join(volumes, name) },
      },
    })),
  );
}

type PodObject = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] };
  readonly status: {
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
};
