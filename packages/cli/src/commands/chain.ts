import type { InternalAddress } from '@indelible/service-runtime';
import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { parseCount } from './parse-options.ts';

type RepublishOptions = GlobalOptions & { readonly from: number };

const timeoutMs = 10_000;

/** `chain …` */
export function addChainCommands(program: Command, context: CommandContext): void {
  const chain = program.command('chain').description('what is known of the chain');
  chain
    .command('republish')
    .description('publishes the blocks of events.chain again, for consumers that lack some; others drop them')
    .requiredOption('--from <block>', 'the first block', parseCount)
    .action((_options, command: Command) => republish(context, command.optsWithGlobals<RepublishOptions>()));
}

async function republish(context: CommandContext, { from, json }: RepublishOptions): Promise<void> {
  const begins = await request(context.config.indexer(), from);
  context.out(json ? JSON.stringify({ from: begins }) : `publishing again from block ${begins}`);
}

/** @returns where it begins: a lower block if one is requested already, or the first of all */
async function request({ url, headers }: InternalAddress, from: number): Promise<number> {
  let response: Response;
  try {
    response = await fetch(`${url}/internal/blocks/republish`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ from }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    throw new Error(`the chain-indexer is unreachable at ${url} (INDEXER_URL)`, { cause });
  }
  const body = (await response.json().catch(() => ({}))) as { from?: number; error?: string };
  if (response.status !== 202 || body.from === undefined)
    throw new Error(`the chain-indexer responded with ${response.status}: ${body.error ?? 'no reason given'}`);
  return body.from;
}
