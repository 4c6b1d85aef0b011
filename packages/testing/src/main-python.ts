import { join } from 'node:path';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { PYTHON_VARIABLE, WORKSPACE } from './environment.ts';
import { providePython } from './provide-python.ts';
import { runTests, testMain } from './run-tests.ts';

/** `npm run test:python`: the tests that run Python programs, which `npm test` leaves out since it needs no Python. */
await testMain(async (args, signal) => {
  const python = await providePython(readToolEnvironment(), signal);
  const config = join(WORKSPACE, 'jest.python.config.mjs');
  return runTests([['--config', config, ...args]], signal, { [PYTHON_VARIABLE]: python });
});
