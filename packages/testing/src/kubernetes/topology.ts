/** A node: its own network namespace on one bridge, except the first, which shares the control plane's. */
export type NodePlace = { readonly name: string; readonly address: string; readonly pods: string };

export const CONTROL_PLANE = '10.77.0.1';
export const nodePlaces = [
  { name: 'node1', address: CONTROL_PLANE, pods: '10.244.1.0/24' },
  { name: 'node2', address: '10.77.0.2', pods: '10.244.2.0/24' },
] as const satisfies readonly NodePlace[];

export const POD_NETWORK = '10.244.0.0/16';
export const SERVICE_NETWORK = '10.96.0.0/16';
/** The first address of the Service network: the API server, for pods. */
export const API_SERVICE = '10.96.0.1';
export const DNS_SERVICE = '10.96.0.10';
export const API_URL = `https://${CONTROL_PLANE}:6443`;
/** CoreDNS runs beside the cluster. */
export const DNS_PORT = 5353;

/** Under each controller of the machine's cgroups; the pods of a node are in a group of its name. */
export const CGROUP = 'indelible-kubernetes';
/** Where containerd's networks and the kubelet write whatever their configuration: an empty file system covers each. */
export const coveredFolders = [
  '/run/netns',
  '/run/containerd',
  '/var/lib/cni',
  '/var/lib/kubelet',
  '/var/log/containers',
];

/** What the kubelet would set for the whole machine is already set: our files cover the kernel's. */
const settings = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** The script of the first process of the namespaces. It reaps what its children leave. @param folder for its files */
export function topologyScript(folder: string): string {
  const [first, ...others] = nodePlaces;
  return [
    'mount --make-rprivate /',
    ...coveredFolders.map((path) => `mkdir -p ${path}; mount -t tmpfs none ${path}`),
    `mkdir -p '${folder}/settings'`,
    ...Object.entries(settings).map(([name, value]) => {
      const file = `'${folder}/settings/${name.replaceAll('/', '.')}'`;
      return `echo ${value} > ${file}; mount --bind ${file} /proc/sys/${name}`;
    }),
    // programs beside the cluster resolve its names
    `printf 'nameserver ${DNS_SERVICE}\\nsearch svc.cluster.local cluster.local\\noptions ndots:5\\n' > '${folder}/resolv.conf'`,
    `mount --bind '${folder}/resolv.conf' /etc/resolv.conf`,
    'ip link set lo up',
    `ip link add nodes type bridge; ip address add ${first.address}/24 dev nodes; ip link set nodes up`,
    // leads nowhere: without a route outside addresses, also of Services, are not looked up
    'ip route add default via 10.77.0.254 dev nodes',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    ...others.flatMap(({ name, address, pods }) => {
      const inside = `ip -netns ${name}`;
      return [
        `ip netns add ${name}; ${inside} link set lo up`,
        `ip link add to-${name} type veth peer name nodes netns ${name}; ip link set to-${name} master nodes up`,
        `${inside} address add ${address}/24 dev nodes; ${inside} link set nodes up`,
        `${inside} route add default via ${first.address}; ${inside} route add ${first.pods} via ${first.address}`,
        `nsenter --net=/run/netns/${name} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'`,
        `ip route add ${pods} via ${address}`,
      ];
    }),
    `touch '${folder}/ready'`,
    "trap 'exit 0' TERM",
    'sleep infinity & wait',
  ].join('\n');
}
