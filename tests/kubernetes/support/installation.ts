import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServiceName, serviceNames } from '@indelible/launcher';
import { chartFolder, testKubernetes } from '@indelible/testing';
import { apply, get, helm, kubectl, withFile } from './cluster.ts';

export const namespace = 'indelible';
export const release = 'indelible';
export const serverNames = ['postgres', 'kafka', 'registry', 'redis', 'anvil'] as const;
export type Component = ServiceName | (typeof serverNames)[number];

/** Images that the nodes have: this release under two tags, of which the second stands for the next. */
export type Tag = 'local' | 'next';

export type Pod = {
  readonly name: string;
  readonly uid: string;
  readonly component: string;
  readonly node: string;
  readonly image: string;
  readonly restarts: number;
  readonly ready: boolean;
};

/** A replica of stamping needs one. */
export const lanes = 3;

/** A trial as deploy/helm/indelible/README.md installs it, with volumes, so that its data outlive its pods. */
const values = (tag: Tag, replicas: number, stamping: object) => ({
  image: { repository: 'indelible', tag },
  // the chain's keeper is of this project, too: what is upgraded are the services
  trial: { persistence: { enabled: true, size: '2Gi' }, images: { localChain: 'indelible:local' } },
  blobStore: { local: { accessMode: 'ReadWriteMany' } },
  defaults: { replicas },
  services: {
    // of this release to itself: docs/upgrades.md says which releases cannot run side by side
    notifications: { strategy: 'RollingUpdate' },
    stamping: { env: { LANES: String(lanes) }, ...stamping },
  },
});

const words = [
  '--namespace',
  namespace,
  '--values',
  join(chartFolder, 'values-local.yaml'),
  '--wait',
  '--timeout',
  '10m',
];

export const install = (tag: Tag, replicas: number, stamping: object = {}): Promise<string> =>
  withFile(values(tag, replicas, stamping), (file) =>
    helm('install', release, chartFolder, ...words, '--create-namespace', '--values', file),
  );

export const upgrade = (tag: Tag, replicas: number, stamping: object = {}): Promise<string> =>
  withFile(values(tag, replicas, stamping), (file) =>
    helm('upgrade', release, chartFolder, ...words, '--values', file),
  );

export const uninstall = (): Promise<string> =>
  helm('uninstall', release, '--namespace', namespace, '--wait', '--timeout', '5m');

/** Volumes for what the trial keeps and for stored content, on a folder that the nodes share. */
export async function offerVolumes(): Promise<void> {
  const { volumes } = testKubernetes();
  const names = ['one', 'two', 'three', 'four'];
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

export async function pods(...components: readonly Component[]): Promise<readonly Pod[]> {
  const labels = [`app.kubernetes.io/instance=${release}`, `app.kubernetes.io/component in (${components.join(',')})`];
  const { items } = await get<{ items: readonly PodObject[] }>('pods', '-n', namespace, '-l', labels.join(','));
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec, status }) => ({
      name: metadata.name,
      uid: metadata.uid,
      component: metadata.labels['app.kubernetes.io/component'] ?? '',
      node: spec.nodeName ?? '',
      image: spec.containers[0]?.image ?? '',
      restarts: Math.min(...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
      ready: (status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True'),
    }));
}

/** Values of a Secret or ConfigMap by their keys. */
export async function secret(name: string): Promise<Readonly<Record<string, string>>> {
  const { data } = await get<{ data: Readonly<Record<string, string>> }>('secret', '-n', namespace, name);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

export const contractAddress = async (): Promise<string> =>
  kubectl('get', 'configmap', `${release}-contract`, '-n', namespace, '-o', 'jsonpath={.data.address}');

/** The name by which pods of any namespace reach a Service. */
export const hostOf = (component: Component): string => `${release}-${component}.${namespace}.svc.cluster.local`;

export const apiUrl = `http://${hostOf('gateway')}:8080`;
export { serviceNames };

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
