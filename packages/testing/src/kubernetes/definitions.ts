import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findJava, MavenDownloads, type ToolEnvironment } from '@indelible/launcher/servers';
import { WORKSPACE } from '../environment.ts';
import { provideTool } from '../provide-tool.ts';
import { GO_REMEDY, goModule } from './go-module.ts';

const execute = promisify(execFile);
const GENERATE_MS = 120_000;

/** Go modules of operators: where their sources define resources that the chart uses. */
const modules = [
  {
    name: 'keda',
    module: 'github.com/kedacore/keda/v2',
    version: '2.21.0',
    folder: 'config/crd/bases',
    files: [
      'eventing.keda.sh_cloudeventsources.yaml',
      'eventing.keda.sh_clustercloudeventsources.yaml',
      'keda.sh_clustertriggerauthentications.yaml',
      'keda.sh_scaledjobs.yaml',
      'keda.sh_scaledobjects.yaml',
      'keda.sh_triggerauthentications.yaml',
    ],
  },
  {
    name: 'prometheus-operator',
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: '0.85.0',
    folder: 'example/prometheus-operator-crd',
    files: ['monitoring.coreos.com_prometheusrules.yaml', 'monitoring.coreos.com_servicemonitors.yaml'],
  },
  {
    name: 'external-secrets',
    module: 'github.com/external-secrets/external-secrets',
    version: '1.3.2',
    folder: 'config/crds/bases',
    files: ['external-secrets.io_externalsecrets.yaml'],
  },
  {
    name: 'gateway-api',
    module: 'sigs.k8s.io/gateway-api',
    version: '1.5.1',
    folder: 'config/crd/standard',
    files: ['gateway.networking.k8s.io_httproutes.yaml'],
  },
] as const;

const STRIMZI = '0.45.0';
const strimzi = ['api', 'crd-generator'].map((name) => ({ group: 'io.strimzi', name, version: STRIMZI }));
const strimziKinds = { kafkatopics: 'topic.KafkaTopic', kafkausers: 'user.KafkaUser' };

/** The definitions of the operators' resources that the chart makes: folders of YAML files, from the operators' own releases. */
export async function provideDefinitions(tools: ToolEnvironment, signal: AbortSignal): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const { name, module, version, folder, files } of modules)
    folders.push(
      await provideTool(tools, signal, {
        name: `definitions-${name}`,
        version,
        needs: { go: GO_REMEDY },
        make: async (_run, target) => {
          const source = await goModule(tools, signal, `${module}@v${version}`);
          for (const file of files) await cp(join(source, folder, file), join(target, file));
        },
      }),
    );
  folders.push(
    await provideTool(tools, signal, {
      name: 'definitions-strimzi',
      version: STRIMZI,
      needs: { mvn: 'install Maven and Java 17, then start again' },
      make: (_run, target) => generateStrimzi(tools, signal, target),
    }),
  );
  return folders;
}

/** Strimzi's release on Maven has only the generator of its definitions. */
async function generateStrimzi(tools: ToolEnvironment, signal: AbortSignal, target: string): Promise<void> {
  const downloads = new MavenDownloads(join(WORKSPACE, '.local', 'downloads'), tools);
  const jars = await downloads.withDependencies(`strimzi-crd-generator-${STRIMZI}`, strimzi, signal);
  const { command } = await findJava(tools, signal);
  for (const [file, kind] of Object.entries(strimziKinds))
    await execute(
      command,
      [
        ...['-cp', join(jars, '*'), 'io.strimzi.crdgenerator.CrdGenerator', '--yaml', '--target-kube', '1.25+'],
        ...['--crd-api-version', 'v1', `io.strimzi.api.kafka.model.${kind}=${join(target, `${file}.yaml`)}`],
      ],
      { signal, timeout: GENERATE_MS },
    );
}
