import { join } from 'node:path';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { JAEGER_VARIABLE, WORKSPACE } from './environment.ts';
import { provideJaeger } from './provide-jaeger.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm run test:traces`: the tests against a real collector, which `npm test` leaves out since it needs Go, and minutes to build it. */
await testMain(async (args, signal) => {
  const jaeger = await provideJaeger(readToolEnvironment(), signal);
  const config = join(WORKSPACE, 'jest.traces.config.mjs');
  return runTests([['--config', config, ...args]], signal, { [JAEGER_VARIABLE]: jaeger });
});
