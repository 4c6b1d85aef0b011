import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm run test:faults`: whole systems that are loaded, stopped and killed, each with the machine to itself. */
await testMain((args, signal) => runTests([['--config', join(WORKSPACE, 'jest.alone.config.mjs'), ...args]], signal));
