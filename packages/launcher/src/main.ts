import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readOrCreateSeedFile } from '@indelible/ethereum/custody';
import { forgetEverything } from './fresh-start.ts';
import { keptState } from './kept-state.ts';
import { openLogFiles } from './log-files.ts';
import { readOptions } from './options.ts';
import { apiKeyFile, readyMessage } from './ready-message.ts';
import { createScreen } from './screen.ts';
import { createInfrastructure, describeError } from './servers.ts';
import { type Connection, type Stack, startStack } from './stack.ts';

const options = readOptions(process.argv.slice(2), process.env);
const screen = createScreen(process.stdout);
const dataDir = join(options.localDir, 'data');
const secretsDir = join(options.localDir, 'secrets');
/** The token is for commands that query internal servers. */
const connectionFile = keptState<Connection & { readonly internalToken: string }>(
  join(options.localDir, 'connection.json'),
);

const keyFile = join(options.localDir, basename(apiKeyFile));
const removeConnection = async (): Promise<void> => {
  await connectionFile.remove();
  await rm(keyFile, { force: true });
};

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (!stopping.signal.aborted) screen.say('\nstopping');
    stopping.abort(new Error(`stopped by ${signal}`));
  });

// Bootstrap holds an IPC channel to us: when it is killed, nobody else would stop what we started.
process.once('disconnect', () => stopping.abort(new Error('bootstrap is gone')));
process.channel?.unref();

const undo: (() => Promise<void>)[] = [];
try {
  const began = performance.now();
  if (options.fresh) {
    const { given, yes: deleteSecrets } = options;
    const aside = await forgetEverything({ dataDir, secretsDir, given, deleteSecrets, now: new Date() });
    if (aside !== undefined) screen.say(aside);
  }
  const infrastructure = await createInfrastructure({
    dataDir,
    downloadsDir: join(options.localDir, 'downloads'),
    addresses: options.addresses,
    onStep: screen.step,
    signal: stopping.signal,
  });
  undo.unshift(infrastructure.stop);
  // only now: before, these could be files of another running start
  await removeConnection();
  infrastructure.onUnexpectedExit(({ part, lastLines }) => {
    screen.say(`✗ ${part} ended by itself; the end of its log:\n${lastLines.join('\n')}`);
    process.exitCode = 1;
    stopping.abort(new Error(`${part} ended by itself`));
  });
  const logs = openLogFiles(join(options.localDir, 'logs'));
  undo.unshift(logs.close);

  await mkdir(secretsDir, { recursive: true, mode: 0o700 });
  const internalToken = Buffer.from(await readOrCreateSeedFile(join(secretsDir, 'internal.token'))).toString('hex');
  const stack: Stack = await startStack({
    addresses: infrastructure.connection,
    // a given one may serve others
    closeDatabaseToOthers: infrastructure.providedBy.postgres !== 'given',
    dataDir,
    secretsDir,
    topicPrefix: '',
    publicTopic: options.publicTopic,
    common: { ...options.openTelemetry, INTERNAL_TOKEN: internalToken },
    ports: 'wanted first',
    ...(options.contractAddress === undefined ? {} : { contractAddress: options.contractAddress }),
    onStep: screen.step,
    onLine: (service, line) => {
      logs.write(service, line);
      screen.log(service, line);
    },
    signal: stopping.signal,
  });
  undo.unshift(stack.stop, removeConnection);
  await connectionFile.write({ ...stack.connection, internalToken });
  await writeFile(keyFile, `${stack.connection.apiKey}\n`, { mode: 0o600 });
  screen.say(readyMessage(stack.connection, (performance.now() - began) / 1000));
  await new Promise<void>((resolve) => {
    if (stopping.signal.aborted) resolve();
    else stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });
} catch (error) {
  if (!stopping.signal.aborted) {
    screen.say(`✗ ${describeError(error).join('\n')}`);
    process.exitCode = 1;
  }
} finally {
  screen.stopTiming();
  for (const step of undo) await step().catch((error: unknown) => screen.say(`✗ ${describeError(error).join('\n')}`));
  screen.say('stopped');
}
