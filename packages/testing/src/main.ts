import { runTests, testMain } from './run-tests.ts';

/** `npm test`: all tests but those that need Python. */
await testMain((args, signal) => runTests(args, signal));
