import { join } from 'node:path';
import { WORKSPACE } from './environment.ts';
import { runTests, testMain } from './run-tests.ts';

/** The whole suite: what can run beside other tests, then what needs the machine for itself. */
const parts = ['jest.beside.config.mjs', 'jest.alone.config.mjs'].map((config) => [
  '--config',
  join(WORKSPACE, config),
]);

/** `npm test`: all tests but those that need Python, or with arguments one run of jest with them. */
await testMain((args, signal) => runTests(args.length === 0 ? parts : [args], signal));
