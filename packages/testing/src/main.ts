import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { neededServers } from './needed-servers.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm test`: every test file that can run beside others; or with arguments one run of jest with them, and the servers that it needs. */
await testMain(async (args, signal) => {
  const run = args.length === 0 ? ['--config', join(WORKSPACE, 'jest.beside.config.mjs')] : args;
  return runTests([run], signal, {}, await neededServers(args));
});
