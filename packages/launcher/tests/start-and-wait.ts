import { createInfrastructure } from '../src/servers.ts';

/** A launcher for tests that kill it: starts what its arguments name, prints one line of JSON, and stays. */
const [dataDir = '', downloadsDir = ''] = process.argv.slice(2);
const infrastructure = await createInfrastructure({
  dataDir,
  downloadsDir,
  addresses: {},
  parts: ['postgres', 'redis', 'anvil'],
  docker: 'never',
  onStep: () => undefined,
  signal: AbortSignal.timeout(120_000),
});
process.stdout.write(
  `${JSON.stringify({ connection: infrastructure.connection, processes: infrastructure.processes })}\n`,
);
