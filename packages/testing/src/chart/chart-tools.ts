import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { downloadWheel, provideHelm } from '../provide-helm.ts';
import { provideTool } from '../provide-tool.ts';

/** The tools that check the chart. */
export type ChartTools = {
  readonly helm: string;
  readonly kubeconform: string;
  readonly kubeScore: string;
  readonly unittest: string;
  /** Kubernetes' own schemas, as kubeconform finds them: `--schema-location`. */
  readonly schemas: string;
};

/** The oldest Kubernetes that the chart runs on, and a recent one. */
export const kubernetesVersions = ['1.30.0', '1.36.0'] as const;

const go = { go: 'install Go 1.26 or later (https://go.dev/dl), then start again' };
const python = { python3: 'install Python 3.10 or later with pip, then start again' };
const schemaWheel = { name: 'kubernetes-validate', version: '1.37.0' };

/**
 * Fetches or builds what is missing: some two minutes once. @throws InfrastructureError that names what is missing and
 * why
 */
export async function provideChartTools(tools: ToolEnvironment, signal: AbortSignal): Promise<ChartTools> {
  const provide = (tool: Parameters<typeof provideTool>[2]) => provideTool(tools, signal, tool);
  const goTool = async (name: string, module: string, version: string) => {
    const folder = await provide({
      name,
      version,
      needs: go,
      make: (run, folder) =>
        run('go', ['install', '-trimpath', `${module}@${version}`], { GOBIN: folder, CGO_ENABLED: '0' }),
    });
    return join(folder, name);
  };
  // one after another: each compiles with all cores
  const kubeconform = await goTool('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0');
  const kubeScore = await goTool('kube-score', 'github.com/zegl/kube-score/cmd/kube-score', 'v1.20.0');
  const { helm } = await provideHelm(tools, signal);
  const schemas = await provide({
    name: 'kubernetes-schemas',
    version: schemaWheel.version,
    needs: python,
    make: (run) =>
      run('python3', ['-c', unpackSchemas, `${schemaWheel.name}==${schemaWheel.version}`, ...kubernetesVersions]),
  });
  const unittest = await provide({
    name: 'helm-unittest',
    version: unittestVersion,
    needs: go,
    make: async (run, folder) => {
      await writeFile(join(folder, 'go.mod'), unittestModule);
      const module = 'github.com/helm-unittest/helm-unittest';
      await run('go', ['build', '-trimpath', '-o', 'helm-unittest', `${module}/cmd/helm-unittest`], {
        CGO_ENABLED: '0',
        GOFLAGS: '-mod=mod',
      });
    },
  });
  return {
    helm,
    kubeconform,
    kubeScore,
    unittest: join(unittest, 'helm-unittest'),
    schemas: join(schemas, '{{.NormalizedKubernetesVersion}}{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json'),
  };
}

const unittestVersion = 'v1.1.2';
/** Its own go.mod replaces a module, which `go install` refuses; as a dependency with the same replacement it builds. */
const unittestModule = `module localhost/helm-unittest
go 1.26
require github.com/helm-unittest/helm-unittest ${unittestVersion}
replace github.com/vmware-labs/yaml-jsonpath v0.3.2 => github.com/helm-unittest/yaml-jsonpath v0.4.0
`;

/** kubeconform wants schemas that name each other by relative paths. */
const unpackSchemas = `${downloadWheel}
for version in sys.argv[2:]:
    for suffix in ('', '-strict'):
        prefix = f'kubernetes_validate/kubernetes-json-schema/v{version}-local{suffix}/'
        target = pathlib.Path(f'v{version}{suffix}'); target.mkdir()
        names = [name for name in wheel.namelist() if name.startswith(prefix) and name.endswith('.json')]
        if not names: sys.exit(f'no schemas of Kubernetes {version}')
        for name in names:
            schema = json.loads(wheel.read(name).decode().replace('"/api/_definitions.json', '"_definitions.json')); schema.pop('$id', None)
            (target / name[len(prefix):]).write_text(json.dumps(schema))
`;
