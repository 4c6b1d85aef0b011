import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ContractStack, startContractStack } from './support/contract-stack.ts';

// Opt-in (`npm run fuzz`), since it needs Python and takes a minute or two: requests made up from the OpenAPI document,
// as many as are told here, against the running services. Not among the tests by its name.
const tool = 'schemathesis==4.32.5';
const folder = resolve(import.meta.dirname, '../../.local/fuzz');
const requestsPerOperation = 50;
const checks = 'not_a_server_error,status_code_conformance,response_schema_conformance';

let running: ContractStack;
beforeAll(async () => {
  await provideTool();
  running = await startContractStack();
}, 300_000);
afterAll(() => running?.stop(), 60_000);

it('no request that the description allows, or nearly, ends in a server error or in an answer it does not know', async () => {
  const { rootUrl, apiKey } = running.connection;
  const { code, output } = await run(join(toolFolder, 'bin', 'schemathesis'), [
    ...['run', `${rootUrl}/swagger.json`, '--url', `${rootUrl}/api/v1`],
    ...['--header', `Authorization: Bearer ${apiKey}`, '--checks', checks],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(requestsPerOperation), '--seed', '1'],
    ...['--request-timeout', '32', '--suppress-health-check', 'all', '--generation-database', 'none', '--no-color'],
  ]);
  expect({ code, output: code === 0 ? '' : output.replaceAll(apiKey, '…').slice(-20_000) }).toEqual({
    code: 0,
    output: '',
  });
  expect(running.log.filter((line) => line.includes('"msg":"request failed"') || line.includes('ended with'))).toEqual(
    [],
  );
}, 600_000);

const toolFolder = join(folder, tool.replace('==', '-'));

/** Installs the tool from PyPI into a folder of its own; `whole` stands in it when all of it is there. */
async function provideTool(): Promise<void> {
  if (existsSync(join(toolFolder, 'whole'))) return;
  await rm(toolFolder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [command, words] of [
    ['python3', ['-m', 'venv', toolFolder]],
    [join(toolFolder, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', tool]],
  ] as const) {
    const { code, output } = await run(command, words);
    if (code !== 0)
      throw new Error(`${tool} could not be installed; it needs Python 3.10 or later with venv and pip\n${output}`);
  }
  await mkdir(join(toolFolder, 'whole'));
}

async function run(command: string, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((settle, fail) => void child.once('error', fail).once('close', settle));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, output: out + err };
}
