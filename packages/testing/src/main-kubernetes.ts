import { dirname, join } from 'node:path';
import { readToolEnvironment } from '@indelible/local-infrastructure';
import { requireMachine, withSystemPrograms } from './apart/require-machine.ts';
import { KUBERNETES_VARIABLE, type TestKubernetes, WORKSPACE } from './environment.ts';
import { startCluster } from './kubernetes/cluster.ts';
import { provideDefinitions } from './kubernetes/definitions.ts';
import { provideImages } from './kubernetes/images.ts';
import { provideKeda, startKeda } from './kubernetes/keda.ts';
import { provideKubeTools } from './kubernetes/kube-tools.ts';
import { runTestsWithoutServers, testMain } from './run-tests.ts';

const VALIDATE_ONLY = '--validate-only';

/**
 * `npm run test:kubernetes`: the Helm chart on a real cluster, which it starts in namespaces of its own and removes.
 * With `--validate-only` the control plane alone judges what the chart renders.
 */
await testMain(async (args, signal) => {
  const tools = withSystemPrograms(readToolEnvironment());
  const validateOnly = args.includes(VALIDATE_ONLY);
  await requireMachine(tools, 'A Kubernetes cluster of its own', {
    ...{ unshare: 'util-linux', nsenter: 'util-linux', ip: 'iproute2', pgrep: 'procps', go: 'golang' },
    ...(validateOnly
      ? {}
      : { containerd: 'containerd', ctr: 'containerd', runc: 'runc', nft: 'nftables', iptables: 'iptables' }),
  });
  const kube = await provideKubeTools(tools, signal);
  const definitions = await provideDefinitions(tools, signal);
  const whole = validateOnly
    ? undefined
    : { keda: await provideKeda(tools, signal), images: await provideImages(tools, signal) };
  const cluster = await startCluster(tools, kube, signal);
  try {
    await cluster.define(definitions);
    if (whole !== undefined) {
      await cluster.addNodes({ node1: whole.images.all, node2: whole.images.services });
      await startKeda(cluster, whole.keda);
    }
    const test: TestKubernetes = { kubectl: kube.kubectl, helm: kube.helm, volumes: cluster.volumes };
    const config = join(WORKSPACE, 'jest.kubernetes.config.mjs');
    const only = validateOnly ? [join('tests', 'kubernetes', 'validation')] : [];
    const words = args.filter((word) => word !== VALIDATE_ONLY);
    return await runTestsWithoutServers(['--config', config, ...only, ...words], signal, {
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
