import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm run test:upgrade`: rolling updates under load, which `npm test` leaves out since they take minutes. */
await testMain((args, signal) => runTests([['--config', join(WORKSPACE, 'jest.upgrade.config.mjs'), ...args]], signal));
