import type { Hex } from '@indelible/identifiers';
import type { BlockAppended } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';

/**
 * Follows who has granted the operator: the last log of a user in the block counts. Answers whether anybody may now be
 * stamped for, and who took the grant back.
 */
export async function followDelegations(
  client: Client,
  block: BlockAppended,
  operator: Hex,
): Promise<{ readonly granted: boolean; readonly revoked: readonly Hex[] }> {
  const last = new Map<Hex, 'grant' | 'revoke'>();
  for (const log of block.logs)
    if ((log.kind === 'grant' || log.kind === 'revoke') && log.delegate === operator) last.set(log.user, log.kind);
  const users = (kind: 'grant' | 'revoke'): Hex[] => [...last].filter(([, was]) => was === kind).map(([user]) => user);
  const granting = users('grant');
  const revoking = users('revoke');
  let granted = false;
  if (granting.length > 0) {
    const { rowCount } = await client.query({
      name: 'note-grants',
      text: 'update accounts set granted_block = $2, revoked_block = null where account = any($1::bytea[])',
      values: [arrayOf.bytea(granting), block.number],
    });
    granted = (rowCount ?? 0) > 0;
  }
  if (revoking.length > 0)
    await client.query({
      name: 'note-revokes',
      text: 'update accounts set revoked_block = $2 where account = any($1::bytea[])',
      values: [arrayOf.bytea(revoking), block.number],
    });
  return { granted, revoked: revoking };
}
