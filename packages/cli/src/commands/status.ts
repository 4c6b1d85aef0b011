import type { Rpc } from '@indelible/ethereum';
import { type Client, createDatabase } from '@indelible/postgres';
import { createLogger } from '@indelible/service-runtime';
import type { Command } from 'commander';
import { withChain } from '../chain/with-chain.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { serviceNames } from '../provisioning.ts';
import { type Finding, look } from '../status/finding.ts';
import { lookAtChain } from '../status/look-at-chain.ts';
import { lookAtLanes } from '../status/look-at-lanes.ts';
import { lookAtMessages } from '../status/look-at-messages.ts';
import { lookAtService } from '../status/look-at-service.ts';
import { lookAtStamps } from '../status/look-at-stamps.ts';
import { parseCount, parseSeconds } from './parse-options.ts';

type StatusOptions = GlobalOptions & { readonly oldest: number; readonly lag: number };

/** `status`; `conclude` is given 1 when something is wrong. */
export function addStatusCommand(program: Command, context: CommandContext, conclude: (verdict: 0 | 1) => void): void {
  program
    .command('status')
    .description(
      'one screen: services, chain, oldest stamp, lanes, consumers, dead letters; only reads. Exit status 1 when something is wrong',
    )
    .option('--oldest <seconds>', 'an unconfirmed stamp may be so old', parseSeconds, 600)
    .option('--lag <count>', 'a consumer may be so many messages behind in a topic', parseCount, 10_000)
    .addHelpText(
      'after',
      `
Reads DATABASE_URL (a role that may read the schemas stamping and chain), RPC_URL, KAFKA_BROKERS, SCHEMA_REGISTRY_URL, and the internal
servers GATEWAY_INTERNAL_URL, STAMPING_URL, INDEXER_URL, STORAGE_URL, VERIFICATION_URL and NOTIFICATIONS_URL.

Example:
  indelible status --json`,
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<StatusOptions>();
      const findings = await lookAround(context, options);
      const ok = findings.every((finding) => finding.ok);
      if (options.json) context.out(JSON.stringify({ ok, findings }));
      else for (const finding of findings) context.out(lineOf(finding));
      if (!options.json) context.out(ok ? 'all is well' : 'something is wrong: see the lines with ✗');
      conclude(ok ? 0 : 1);
    });
}

const lineOf = ({ name, ok, text }: Finding): string => `${ok ? '✓' : '✗'} ${name.padEnd(28)} ${text}`;

async function lookAround(context: CommandContext, { oldest, lag }: StatusOptions): Promise<readonly Finding[]> {
  const { config } = context;
  const { services } = config.status();
  const withBoth = (use: (rpc: Rpc, client: Client) => Promise<readonly Finding[]>) =>
    withChain(config.chain(), (rpc) => withDatabase(config.store().databaseUrl, (client) => use(rpc, client)));
  const found = await Promise.all([
    ...serviceNames.map((name) => look(name, () => lookAtService(name, services[name]))),
    look('chain', () => withBoth(lookAtChain)),
    look('stamps', () => withDatabase(config.store().databaseUrl, (client) => lookAtStamps(client, oldest))),
    look('lanes', () => withBoth(lookAtLanes)),
    look('consumers', () => lookAtMessages(config.broker(), lag)),
  ]);
  return found.flat();
}

async function withDatabase<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const database = createDatabase({
    url,
    schema: 'stamping',
    applicationName: 'indelible status',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    logger: createLogger({ service: 'cli', level: 'silent' }),
  });
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}
