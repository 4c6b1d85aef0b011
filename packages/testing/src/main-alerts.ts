import { join } from 'node:path';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { PROMETHEUS_VARIABLE, WORKSPACE } from './environment.ts';
import { providePrometheus } from './provide-prometheus.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm run test:alerts`: the tests that need Prometheus, which `npm test` leaves out. */
await testMain(async (args, signal) => {
  const prometheus = await providePrometheus(readToolEnvironment(), signal);
  const config = join(WORKSPACE, 'jest.alerts.config.mjs');
  return runTests([['--config', config, ...args]], signal, { [PROMETHEUS_VARIABLE]: JSON.stringify(prometheus) });
});
