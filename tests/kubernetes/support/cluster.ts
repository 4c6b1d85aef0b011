import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testKubernetes } from '@indelible/testing';

const run = promisify(execFile);
const COMMAND_MS = 12 * 60_000;

/** The clients of the cluster, as an operator uses them. */
export const { kubectl, helm } = { kubectl: client('kubectl'), helm: client('helm') };

/** What a command prints; it fails with the end of what it says. */
function client(name: 'kubectl' | 'helm') {
  return async (...args: readonly string[]): Promise<string> => {
    try {
      const options = { maxBuffer: 64_000_000, timeout: COMMAND_MS };
      return (await run(testKubernetes()[name], args, options)).stdout;
    } catch (error) {
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      throw new Error(`${name} ${args.join(' ')} ended with ${code}:\n${`${stdout}\n${stderr}`.slice(-4_000)}`);
    }
  };
}

/** An object, or a list of them, as the API server has it. */
export const get = async <T>(...args: readonly string[]): Promise<T> =>
  JSON.parse(await kubectl('get', ...args, '--output', 'json')) as T;

export async function apply(...objects: readonly object[]): Promise<void> {
  await withFile({ apiVersion: 'v1', kind: 'List', items: objects }, (file) =>
    kubectl('apply', '--server-side', '--filename', file),
  );
}

/** JSON is YAML. */
export async function withFile<T>(value: object, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'indelible-test-'));
  try {
    const file = join(folder, 'file.yaml');
    await writeFile(file, JSON.stringify(value), { mode: 0o600 });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The API server's judgement of a document, of which nothing is kept: undefined when every object in it is valid. */
export function faultsOf(document: string): Promise<string | undefined> {
  const words = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
  return new Promise((resolve, reject) => {
    let output = '';
    const child = spawn(testKubernetes().kubectl, words, { stdio: ['pipe', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0 ? undefined : output));
    child.stdin.end(document);
  });
}
