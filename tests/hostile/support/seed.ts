import type { ContractStack } from '../../contract/support/contract-stack.ts';

type Pool = ContractStack['pool'];
const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

/**
 * Receipts of one owner in one set, as the chain's first block would have left them: of one CID, or each of its own.
 * Of a second each, from 2001 on.
 */
export async function seedReceipts(
  pool: Pool,
  receipts: { readonly user: string; readonly setCid: string; readonly objectCid?: string; readonly count: number },
): Promise<void> {
  const { user, setCid, objectCid, count } = receipts;
  await pool.query(
    `insert into verification.commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
       transaction_hash, block_hash)
     select coalesce($1, sha256(('seed ' || i)::bytea)), $2, 31337, 0, i, $3, 978307200 + i, sha256('transaction'), sha256('block')
     from generate_series(0, $4::int - 1) as i`,
    [objectCid === undefined ? null : bytes(objectCid), bytes(user), bytes(setCid), count],
  );
}

/** A public collection of a stranger, as verification knows it. */
export async function seedCollection(
  pool: Pool,
  collection: { readonly user: string; readonly setCid: string; readonly name: string },
): Promise<void> {
  const { user, setCid, name } = collection;
  await pool.query(
    `insert into verification.collections (account, cid, name, folded_name, is_public) values ($1, $2, $3, lower($3), true)`,
    [bytes(user), bytes(setCid), name],
  );
}

/** Stamps of one identity, confirmed long before this chain's first block. */
export async function seedHistory(
  pool: Pool,
  identity: { readonly account: string; readonly objectCid: string; readonly count: number },
): Promise<void> {
  await pool.query(
    `insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, requested_at, version, transaction_hash,
       log_index, block_number, block_hash, block_time)
     select gen_random_uuid(), $1, decode(repeat('00', 32), 'hex'), $2, 'confirmed', false, now(), 2, sha256('t'), n, n - 1000000,
       sha256('b'), n
     from generate_series(1, $3::int) as n`,
    [bytes(identity.account), bytes(identity.objectCid), identity.count],
  );
}

/** Events of this size that stamping has recorded and not published yet. */
export async function seedBacklog(
  pool: Pool,
  backlog: { readonly account: string; readonly count: number; readonly bytes: number },
): Promise<void> {
  await pool.query(
    `with recorded as (
       insert into stamping.events (stream, version, type, type_version, message_id, data)
       select 'backlog-' || n, 1, 'StampRequestRefused', 2, gen_random_uuid(),
         json_build_object('requestId', gen_random_uuid(), 'account', $1::text, 'setCid', $2::text, 'objectCid', $2::text,
           'refusal', json_build_object('code', 'too-busy', 'message', repeat('x', $4::int)),
           'requestedAt', '2026-01-01T00:00:00.000Z')
       from generate_series(1, $3::int) as n)
     select pg_notify('stamping_events', '')`,
    [backlog.account.toLowerCase(), `0x${'00'.repeat(32)}`, backlog.count, backlog.bytes],
  );
}
