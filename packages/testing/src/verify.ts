import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { binFolder, runScript } from './run-command.ts';
import { stopSignal } from './stop-signal.ts';

const ROOT_CHECKS = [
  'check:style',
  'check:types',
  'check:arrows',
  'check:unused',
  'check:metrics',
  'check:dashboards',
  'check:performance',
];

/** A script of one package.json. */
interface Check {
  readonly name: string;
  readonly folder: string;
  readonly script: string;
}

/** `pnpm verify`: runs every check in turn; a line for each, and the output of those that failed. Returns the exit code. */
async function verify(signal: AbortSignal): Promise<number> {
  let failures = 0;
  for (const check of await findChecks()) {
    const began = performance.now();
    const binFolders = [...new Set([binFolder(WORKSPACE), binFolder(check.folder)])];
    const { code, output } = await runScript(check.script, { cwd: check.folder, binFolders, signal });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`${code === 0 ? 'ok    ' : 'failed'} ${check.name.padEnd(44)} ${seconds.padStart(6)} s\n`);
    if (code === 0) continue;
    failures += 1;
    process.stdout.write(`${output.trimEnd()}\n`);
  }
  return failures === 0 ? 0 : 1;
}

/** The workspace's own checks, then `check:generated` of each package that has one. */
async function findChecks(): Promise<Check[]> {
  const root = await readScripts(WORKSPACE);
  const checks = ROOT_CHECKS.map((name) => ({ name, folder: WORKSPACE, script: required(root, name) }));
  for (const group of ['packages', 'services']) {
    for (const name of (await readdir(join(WORKSPACE, group))).sort()) {
      const folder = join(WORKSPACE, group, name);
      const script = (await readScripts(folder))['check:generated'];
      if (script !== undefined) checks.push({ name: `check:generated ${group}/${name}`, folder, script });
    }
  }
  return checks;
}

async function readScripts(folder: string): Promise<Record<string, string>> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  return (JSON.parse(text) as { scripts?: Record<string, string> }).scripts ?? {};
}

function required(scripts: Record<string, string>, name: string): string {
  const script = scripts[name];
  if (script === undefined) throw new Error(`package.json has no script ${name}`);
  return script;
}

process.exitCode = await verify(stopSignal()).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
