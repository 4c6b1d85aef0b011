import type { IncomingMessage } from '@indelible/kafka';
import type { Database } from '@indelible/postgres';
import { failpoint, type RepublishRequests } from '@indelible/service-runtime';
import { chainMessageOf } from '../projections/chain-message.ts';
import { projectBlocks } from '../projections/commitments.ts';
import type { Telemetry } from '../telemetry.ts';

/** Projects events.chain messages; requests that missing blocks be published again. */
export async function handleBlocks(
  ports: { readonly database: Database; readonly telemetry: Telemetry; readonly republish: RepublishRequests },
  messages: readonly IncomingMessage[],
): Promise<void> {
  const { database, telemetry, republish } = ports;
  const blocks = messages.map(chainMessageOf);
  const projected = await projectBlocks(database, blocks);
  if (projected.inserted > 0) failpoint('verification.projected');
  telemetry.blocksProjected({
    ...projected,
    blocks: blocks.flatMap(({ type, data }) =>
      type === 'BlockAppended' ? [{ time: data.time, commitments: data.logs.length }] : [],
    ),
  });
  if (projected.cursors.size > 0) republish.followed();
  for (const from of projected.missing.values()) republish.missing(from);
}
