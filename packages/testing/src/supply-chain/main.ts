import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WORKSPACE } from '../environment.ts';
import { stopSignal } from '../stop-signal.ts';
import { type Part, partsNotAllowed } from './licences.ts';
import { runPnpm } from './pnpm.ts';

const sbomFile = join(WORKSPACE, '.local', 'sbom.cdx.json');

/**
 * `npm run supply-chain`: lists the parts of production, checks their licences, and queries the registry for known
 * vulnerabilities. An unreachable registry is reported: it is neither a finding nor a clean result.
 */
async function check(signal: AbortSignal): Promise<number> {
  const sbom = await runPnpm(['sbom', '--sbom-format', 'cyclonedx', '--prod'], signal);
  if (sbom.code !== 0) throw new Error(`the list of parts could not be made: ${sbom.err.trim()}`);
  const { components } = JSON.parse(sbom.out) as { components: readonly Part[] };
  await mkdir(dirname(sbomFile), { recursive: true });
  await writeFile(sbomFile, sbom.out);
  say('parts', `${components.length} of production, in ${sbomFile}`);

  const refused = partsNotAllowed(components);
  say('licences', refused.length === 0 ? 'all allowed' : `not allowed:\n  ${refused.join('\n  ')}`);

  const findings = await audit(signal);
  return refused.length === 0 && !findings ? 0 : 1;
}

type Audit = { readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> } };

/** Whether known vulnerabilities were found. */
async function audit(signal: AbortSignal): Promise<boolean> {
  const { out, err } = await runPnpm(['audit', '--prod', '--json'], signal);
  const counts = countsOf(out);
  if (counts === undefined) {
    say(
      'audit',
      `not reachable: the registry was not asked for known vulnerabilities\n  ${err.trim().split('\n').join('\n  ')}`,
    );
    return false;
  }
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  say('audit', found.length === 0 ? 'no known vulnerabilities' : found.map(([level, n]) => `${n} ${level}`).join(', '));
  return found.length > 0;
}

/** By severity; undefined if pnpm's output is not a registry response. */
function countsOf(text: string): Readonly<Record<string, number>> | undefined {
  try {
    return (JSON.parse(text) as Audit).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
}

const say = (what: string, text: string): void => void process.stdout.write(`${what.padEnd(9)} ${text}\n`);

process.exitCode = await check(stopSignal()).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  return 1;
});
