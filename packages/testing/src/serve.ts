import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { describeError } from '@indelible/launcher/servers';
import { ENVIRONMENT_FILE, TEST_FOLDER } from './environment.ts';
import { provideServers } from './provide-servers.ts';
import { stopSignal } from './stop-signal.ts';

/** Keeps the servers of the tests up until Ctrl-C, so that single test files run at once. */
async function serve(): Promise<number> {
  const gone = new AbortController();
  const stopping = AbortSignal.any([stopSignal(), gone.signal]);
  let exitCode = 0;
  const servers = await provideServers('serve', stopping);
  try {
    servers.onUnexpectedExit((exit) => {
      process.stderr.write(
        `${exit.part} ended by itself (${exit.code ?? exit.signal})\n${exit.lastLines.join('\n')}\n`,
      );
      exitCode = 1;
      gone.abort();
    });
    await mkdir(TEST_FOLDER, { recursive: true });
    const content = { pid: process.pid, ...servers.addresses };
    await writeFile(`${ENVIRONMENT_FILE}.part`, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
    await rename(`${ENVIRONMENT_FILE}.part`, ENVIRONMENT_FILE);
    process.stderr.write('the servers of the tests are up; Ctrl-C stops them\n');
    await untilAborted(stopping);
  } finally {
    await rm(ENVIRONMENT_FILE, { force: true });
    await servers.stop();
  }
  return exitCode;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // an abort listener does not keep a process alive; with containers nothing else would
    const keepAlive = setInterval(() => undefined, 60_000);
    signal.addEventListener(
      'abort',
      () => {
        clearInterval(keepAlive);
        resolve();
      },
      { once: true },
    );
  });
}

process.exitCode = await serve().catch((error: unknown) => {
  process.stderr.write(`${describeError(error).join('\n')}\n`);
  return 1;
});
