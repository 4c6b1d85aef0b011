import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from './control-plane.ts';
import type { KubeTools } from './kube-tools.ts';
import { CGROUP, DNS_SERVICE, type NodePlace, POD_NETWORK } from './topology.ts';

/** The image of a pod's first process. */
const PAUSE = 'docker.io/indelible-standin/root:latest';

/** containerd's data and socket of a node. */
export type NodeFolders = { readonly data: string; readonly socket: string };

export const nodeFolders = (folder: string, data: string, { name }: NodePlace): NodeFolders => ({
  data: join(data, name),
  socket: join(folder, `${name}.sock`),
});

/**
 * Writes the configuration of containerd, the kubelet and the pods' network. @param folder of the cluster; short, since
 * it contains socket paths
 */
export async function configureNode(folder: string, place: NodePlace, { data, socket }: NodeFolders): Promise<void> {
  await mkdir(join(folder, place.name, 'cni'), { recursive: true });
  await mkdir(data, { recursive: true });
  const write = (file: string, text: string) => writeFile(join(folder, place.name, file), text);
  await write('containerd.toml', containerdConfiguration(folder, place, { data, socket }));
  await write('cni/10-pods.conflist', JSON.stringify(podNetwork(place)));
  await write('resolv.conf', `nameserver ${DNS_SERVICE}\n`);
  await write('kubelet.json', JSON.stringify(kubeletConfiguration(folder, place, socket)));
}

export const containerRuntime = (folder: string, { name }: NodePlace): Command => ({
  name: `${name}-containerd`,
  words: ['containerd', '--config', join(folder, name, 'containerd.toml')],
});

export function nodeAgents({ kube }: KubeTools, folder: string, { name, address }: NodePlace): readonly Command[] {
  const key = (file: string) => join(folder, 'keys', file);
  return [
    {
      name: `${name}-kubelet`,
      words: [
        ...[kube, 'kubelet', `--config=${join(folder, name, 'kubelet.json')}`, `--kubeconfig=${key(`${name}.conf`)}`],
        ...[`--hostname-override=${name}`, `--node-ip=${address}`],
        ...[`--root-dir=${join(folder, name, 'kubelet')}`, `--cert-dir=${join(folder, name, 'certificates')}`],
      ],
    },
    {
      name: `${name}-proxy`,
      words: [
        ...[kube, 'kube-proxy', `--kubeconfig=${key('proxy.conf')}`, `--hostname-override=${name}`],
        ...['--proxy-mode=nftables', `--cluster-cidr=${POD_NETWORK}`, '--conntrack-max-per-core=0'],
      ],
    },
  ];
}

function containerdConfiguration(folder: string, { name }: NodePlace, { data, socket }: NodeFolders): string {
  const unused = ['btrfs', 'zfs', 'devmapper', 'aufs'].map((kind) => `"io.containerd.snapshotter.v1.${kind}"`);
  return `version = 2
root = "${data}"
state = "${join(folder, name, 'containerd')}"
disabled_plugins = [${unused.join(', ')}]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  disable_hugetlb_controller = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(folder, name, 'cni')}"
`;
}

function podNetwork({ name, pods }: NodePlace) {
  return {
    cniVersion: '0.4.0',
    name: `pods-${name}`,
    plugins: [
      {
        ...{ type: 'bridge', bridge: 'pods', isGateway: true, ipMasq: true, hairpinMode: true },
        ipam: { type: 'host-local', ranges: [[{ subnet: pods }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

function kubeletConfiguration(folder: string, { name }: NodePlace, socket: string) {
  const key = (file: string) => join(folder, 'keys', file);
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    failSwapOn: false,
    // as they are set for it (topology.ts)
    protectKernelDefaults: true,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${CGROUP}/${name}`,
    // lowering it needs a privilege that root in a container may lack
    oomScoreAdj: 0,
    containerRuntimeEndpoint: `unix://${socket}`,
    podLogsDir: join(folder, name, 'logs'),
    clusterDNS: [DNS_SERVICE],
    clusterDomain: 'cluster.local',
    resolvConf: join(folder, name, 'resolv.conf'),
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: key('ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: key(`${name}.crt`),
    tlsPrivateKeyFile: key(`${name}.key`),
    evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  };
}
