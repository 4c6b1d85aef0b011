import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { InfrastructureError, type ToolEnvironment } from '@indelible/launcher/servers';

const execute = promisify(execFile);
const DOWNLOAD_MS = 5 * 60_000;

export const GO_REMEDY = 'install Go 1.26 or later (https://go.dev/dl), then start again';

/** The folder of a module's sources in Go's cache, downloaded where it is not there. */
export async function goModule(tools: ToolEnvironment, signal: AbortSignal, module: string): Promise<string> {
  // -mod=mod: outside of any module
  const env = { ...tools.all, GOFLAGS: '-mod=mod' };
  const options = { cwd: '/', env, signal, timeout: DOWNLOAD_MS };
  const { stdout } = await execute('go', ['mod', 'download', '-json', module], options).catch((cause) => {
    const { stdout, stderr } = cause as { stdout?: string; stderr?: string };
    const lastLines = `${stdout ?? ''}\n${stderr ?? ''}`.trim().split('\n').slice(-6);
    throw new InfrastructureError(`Go could not download ${module}`, GO_REMEDY, { lastLines, cause });
  });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}
