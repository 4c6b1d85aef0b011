import { join } from 'node:path';
import type { KubeTools } from './kube-tools.ts';
import { CONTROL_PLANE, DNS_PORT, DNS_SERVICE, POD_NETWORK, SERVICE_NETWORK } from './topology.ts';

/** The words of a command, and where its files are relative to. */
export type Command = { readonly name: string; readonly words: readonly string[] };

const ETCD_URL = 'http://127.0.0.1:2379';

/** etcd and the API server. @param folder of the cluster: `keys` has certificates, `etcd` its data */
export function storeAndServer({ etcd, kube }: KubeTools, folder: string): readonly Command[] {
  const key = (name: string) => join(folder, 'keys', name);
  return [
    {
      name: 'etcd',
      words: [
        ...[etcd, `--data-dir=${join(folder, 'etcd')}`, '--unsafe-no-fsync', '--log-level=warn'],
        ...[`--listen-client-urls=${ETCD_URL}`, `--advertise-client-urls=${ETCD_URL}`],
        '--listen-peer-urls=http://127.0.0.1:2380',
      ],
    },
    {
      name: 'api-server',
      words: [
        ...[kube, 'kube-apiserver', `--etcd-servers=${ETCD_URL}`, `--advertise-address=${CONTROL_PLANE}`],
        ...['--secure-port=6443', '--allow-privileged=true', '--authorization-mode=Node,RBAC'],
        ...[`--tls-cert-file=${key('apiserver.crt')}`, `--tls-private-key-file=${key('apiserver.key')}`],
        `--client-ca-file=${key('ca.crt')}`,
        `--kubelet-client-certificate=${key('apiserver-kubelet.crt')}`,
        `--kubelet-client-key=${key('apiserver-kubelet.key')}`,
        // node names do not resolve here
        '--kubelet-preferred-address-types=InternalIP',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-key-file=${key('sa.key')}`,
        `--service-account-signing-key-file=${key('sa.key')}`,
        ...['--enable-admission-plugins=NodeRestriction', `--service-cluster-ip-range=${SERVICE_NETWORK}`],
        // what serves metrics beside it
        `--requestheader-client-ca-file=${key('ca.crt')}`,
        '--requestheader-allowed-names=front-proxy',
        '--requestheader-username-headers=X-Remote-User',
        '--requestheader-group-headers=X-Remote-Group',
        '--requestheader-extra-headers-prefix=X-Remote-Extra-',
        `--proxy-client-cert-file=${key('front-proxy.crt')}`,
        `--proxy-client-key-file=${key('front-proxy.key')}`,
        '--enable-aggregator-routing=true',
      ],
    },
  ];
}

/** Controllers and scheduler, which exit until the API server responds; and the cluster's DNS. */
export function controllers({ kube, coredns }: KubeTools, folder: string): readonly Command[] {
  const key = (name: string) => join(folder, 'keys', name);
  const as = (name: string) =>
    ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map((flag) => `--${flag}=${key(name)}`);
  return [
    {
      name: 'controllers',
      words: [
        ...[kube, 'kube-controller-manager', ...as('controllers.conf'), '--leader-elect=false'],
        ...[`--root-ca-file=${key('ca.crt')}`, `--service-account-private-key-file=${key('sa.key')}`],
        ...['--use-service-account-credentials=true', `--cluster-cidr=${POD_NETWORK}`],
        ...[`--cluster-signing-cert-file=${key('ca.crt')}`, `--cluster-signing-key-file=${key('ca.key')}`],
        `--service-cluster-ip-range=${SERVICE_NETWORK}`,
      ],
    },
    { name: 'scheduler', words: [kube, 'kube-scheduler', ...as('scheduler.conf'), '--leader-elect=false'] },
    { name: 'dns', words: [coredns, '-conf', join(folder, 'Corefile')] },
  ];
}

export function corefile(folder: string): string {
  return `.:${DNS_PORT} {
  bind ${CONTROL_PLANE}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${join(folder, 'keys', 'admin.conf')}
  }
  cache 5
}
`;
}

/**
 * A Service that leads to a process beside the cluster, and not to pods.
 * @param target port of that process at {@link CONTROL_PLANE}
 */
export function serviceBeside(
  { name, namespace, clusterIP }: { name: string; namespace: string; clusterIP?: string },
  port: number,
  target: number,
  protocols: readonly ('TCP' | 'UDP')[] = ['TCP'],
) {
  const ports = protocols.map((protocol) => ({ name: protocol.toLowerCase(), protocol }));
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace },
      spec: { clusterIP, ports: ports.map((one) => ({ ...one, port, targetPort: target })) },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${name}-beside`, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: ports.map((one) => ({ ...one, port: target })),
      endpoints: [{ addresses: [CONTROL_PLANE] }],
    },
  ];
}

export const dnsService = () =>
  serviceBeside({ name: 'kube-dns', namespace: 'kube-system', clusterIP: DNS_SERVICE }, 53, DNS_PORT, ['UDP', 'TCP']);
