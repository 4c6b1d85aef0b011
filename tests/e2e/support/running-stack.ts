import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { provideStackServers, startTestStack } from '../../support/test-stack.ts';
import { createClient } from './client.ts';
import { startRpcProxy } from './rpc-proxy.ts';

/** Every service as its own process on real servers, with a chain that makes a block a second. */
export type RunningStack = Awaited<ReturnType<typeof startRunningStack>>;

export async function startRunningStack(
  options: {
    /** Hex; a random one when not given. */
    readonly operatorSeed?: string;
    /** Override the settings of stamping and the gateway. */
    readonly stamping?: Readonly<Record<string, string>>;
    readonly gateway?: Readonly<Record<string, string>>;
    /** Settings of every service. */
    readonly common?: Readonly<Record<string, string>>;
  } = {},
) {
  const servers = await provideStackServers('e2e');
  const proxy = servers.keep(await startRpcProxy(servers.anvil.rpcUrl));
  if (options.operatorSeed !== undefined) {
    await mkdir(servers.secretsDirectory, { mode: 0o700 });
    await writeFile(join(servers.secretsDirectory, 'operator.seed'), options.operatorSeed, { mode: 0o600 });
  }
  const running = await startTestStack(servers, {
    common: options.common ?? {},
    environment: {
      stamping: { RPC_URL: proxy.url, REBROADCAST_MS: '1000', ...options.stamping },
      gateway: options.gateway ?? {},
    },
  });
  return { ...running, proxy, client: createClient(running.connection.rootUrl, running.connection.apiKey) };
}
