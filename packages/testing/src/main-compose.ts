import { join } from 'node:path';
import { readToolEnvironment } from '@indelible/launcher/servers';
import { withSystemPrograms } from './apart/require-machine.ts';
import { findDockerEngine, startDockerEngine } from './engine/docker-engine.ts';
import { buildProduct, buildStandins } from './engine/images.ts';
import { WORKSPACE } from './environment.ts';
import { runTestsWithoutServers, testMain } from './run-tests.ts';

/** `npm run test:compose`: the whole product with Docker Compose, on the machine's Docker engine, else on one of our own. */
await testMain(async (args, signal) => {
  const tools = withSystemPrograms(readToolEnvironment());
  const given = await findDockerEngine(tools);
  if (given === undefined) {
    const builder = await startDockerEngine(tools, signal, 'build');
    try {
      await buildStandins(builder, tools, signal);
      await buildProduct(builder, tools, signal);
    } finally {
      await builder.stop();
    }
  } else await buildProduct(given, tools, signal);
  const engine = given ?? (await startDockerEngine(tools, signal, 'run'));
  try {
    const config = join(WORKSPACE, 'jest.compose.config.mjs');
    return await runTestsWithoutServers(['--config', config, ...args], signal, {
      variables: { ...engine.env, PATH: tools.path },
      within: engine.enter,
    });
  } finally {
    await engine.stop();
  }
});
