import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm test`: every test file that can run beside others, or with arguments one run of jest with them. */
await testMain((args, signal) =>
  runTests([args.length === 0 ? ['--config', join(WORKSPACE, 'jest.beside.config.mjs')] : args], signal),
);
