import { dirname, join } from 'node:path';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { requireMachine, withSystemPrograms } from './apart/require-machine.ts';
import { KUBERNETES_VARIABLE, type TestKubernetes, WORKSPACE } from './environment.ts';
import { startCluster } from './kubernetes/cluster.ts';
import { provideDefinitions } from './kubernetes/definitions.ts';
import { provideImages } from './kubernetes/images.ts';
import { provideKeda, startKeda } from './kubernetes/keda.ts';
import { provideKubeTools } from './kubernetes/kube-tools.ts';
import { runTestsWithoutServers, testMain } from './run-tests.ts';

/** The test files, by required cluster parts. */
const parts = {
  validation: { nodes: false, keda: false },
  installation: { nodes: true, keda: false },
  scaling: { nodes: true, keda: true },
} as const;
type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

/**
 * `npm run test:kubernetes`: the Helm chart on a real cluster, which it starts in its own namespaces and removes. Names
 * of parts as arguments limit it to these, and to the cluster that they need; other arguments are jest's.
 */
await testMain(async (args, signal) => {
  const tools = withSystemPrograms(readToolEnvironment());
  const chosen = names.filter((name) => args.includes(name));
  const wanted = chosen.length === 0 ? names : chosen;
  const needsNodes = wanted.some((name) => parts[name].nodes);
  await requireMachine(tools, 'A Kubernetes cluster of its own', {
    ...{ unshare: 'util-linux', nsenter: 'util-linux', ip: 'iproute2', pgrep: 'procps', go: 'golang' },
    ...(needsNodes
      ? { containerd: 'containerd', ctr: 'containerd', runc: 'runc', nft: 'nftables', iptables: 'iptables' }
      : {}),
  });
  const kube = await provideKubeTools(tools, signal);
  const definitions = await provideDefinitions(tools, signal);
  const keda = wanted.some((name) => parts[name].keda) ? await provideKeda(tools, signal) : undefined;
  const images = needsNodes ? await provideImages(tools, signal) : undefined;
  const cluster = await startCluster(tools, kube, signal);
  try {
    await cluster.define(definitions);
    if (images !== undefined) await cluster.addNodes(images);
    if (keda !== undefined) await startKeda(cluster, keda);
    const test: TestKubernetes = { kubectl: kube.kubectl, helm: kube.helm, volumes: cluster.volumes };
    const config = join(WORKSPACE, 'jest.kubernetes.config.mjs');
    const files = wanted.map((name) => join('tests', 'kubernetes', name));
    const words = args.filter((word) => !names.includes(word as Part));
    return await runTestsWithoutServers(['--config', config, ...files, ...words], signal, {
      variables: {
        [KUBERNETES_VARIABLE]: JSON.stringify(test),
        KUBECONFIG: cluster.kubeconfig,
        PATH: `${dirname(kube.kubectl)}:${tools.path}`,
      },
      within: cluster.enter,
    });
  } finally {
    await cluster.stop();
  }
});
