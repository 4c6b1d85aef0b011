import type { SignDigest } from '@indelible/ethereum';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Client, Database } from '@indelible/postgres';

/** The right to sign with a lane's key. Every write under it checks the token: a former holder's is refused. */
export type LaneLease = { readonly lane: Hex; readonly token: number };

/**
 * Whether the lane has batches that a reorg may still put back, for which its key is needed. One index look-up per
 * status.
 * @param lane the SQL of its address
 */
export const notFinal = (lane: string): string =>
  `(exists (select from batches where lane = ${lane} and status = 'signed')
    or exists (select from batches where lane = ${lane} and status = 'included'))`;

/** A held lane whose key can sign. */
export type HeldLane = LaneLease & { readonly sign: SignDigest };

/**
 * Takes a lane that nobody holds and that is not drained. `firstNonce` is used only if the lane is new to this
 * database.
 */
export async function takeLease(
  database: Pick<Database, 'query'>,
  options: {
    readonly lane: Hex;
    readonly chainId: number;
    readonly holder: string;
    readonly leaseMs: number;
    readonly firstNonce: number;
  },
): Promise<LaneLease | undefined> {
  const { rows } = await database.query<{ lease_token: number }>({
    name: 'take-lease',
    text: `insert into lanes (lane, chain_id, next_nonce, lease_holder, lease_token, lease_until)
           values ($1, $2, $3, $4, 1, now() + make_interval(secs => $5))
           on conflict (lane) do update set lease_holder = excluded.lease_holder, lease_token = lanes.lease_token + 1,
             lease_until = excluded.lease_until
           where lanes.lease_until < now() and (not lanes.draining or ${notFinal('lanes.lane')})
           returning lease_token`,
    values: [bytesOfHex(options.lane), options.chainId, options.firstNonce, options.holder, options.leaseMs / 1000],
  });
  return rows[0] === undefined ? undefined : { lane: options.lane, token: rows[0].lease_token };
}

/** Takes a drained lane that nobody holds, to finish its remaining work. */
export async function takeDrained(
  database: Pick<Database, 'query'>,
  options: { readonly lane: Hex; readonly holder: string; readonly leaseMs: number },
): Promise<LaneLease | undefined> {
  const { rows } = await database.query<{ lease_token: number }>({
    name: 'take-drained',
    text: `update lanes set lease_holder = $2, lease_token = lease_token + 1, lease_until = now() + make_interval(secs => $3)
           where lane = $1 and draining and lease_until < now() and not ${notFinal('lanes.lane')}
           returning lease_token`,
    values: [bytesOfHex(options.lane), options.holder, options.leaseMs / 1000],
  });
  return rows[0] === undefined ? undefined : { lane: options.lane, token: rows[0].lease_token };
}

/** Keeps the lease; false when it is no longer ours. */
export async function renewLease(
  database: Pick<Database, 'query'>,
  lease: LaneLease,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await database.query({
    name: 'renew-lease',
    text: `update lanes set lease_until = now() + make_interval(secs => $3)
           where lane = $1 and lease_token = $2 and lease_until > now()`,
    values: [bytesOfHex(lease.lane), lease.token, leaseMs / 1000],
  });
  return rowCount === 1;
}

/** Releases the lane, so that another replica need not wait for the lease to expire. */
export async function releaseLease(database: Pick<Database, 'query'>, lease: LaneLease): Promise<void> {
  await database.query({
    name: 'release-lease',
    text: `update lanes set lease_until = 'epoch', lease_holder = null where lane = $1 and lease_token = $2`,
    values: [bytesOfHex(lease.lane), lease.token],
  });
}

export class LeaseLostError extends Error {
  readonly retryable = false;
  override readonly name = 'LeaseLostError';
}

/**
 * Takes the lane's next nonce, in the transaction that stores what is signed with it (I3).
 * @throws LeaseLostError when the lease expired or another replica holds the lane
 */
export async function takeNonce(client: Client, lease: LaneLease): Promise<number> {
  const { rows } = await client.query<{ nonce: number }>({
    name: 'take-nonce',
    text: `update lanes set next_nonce = next_nonce + 1
           where lane = $1 and lease_token = $2 and lease_until > now() returning next_nonce - 1 as nonce`,
    values: [bytesOfHex(lease.lane), lease.token],
  });
  if (rows[0] === undefined) throw new LeaseLostError(`the lease of lane ${lease.lane} is lost`);
  return rows[0].nonce;
}

/**
 * Makes sure that the lease is held until the transaction ends.
 * @throws LeaseLostError when it expired or another replica holds the lane
 */
export async function holdLease(client: Client, lease: LaneLease): Promise<void> {
  const { rowCount } = await client.query({
    name: 'hold-lease',
    text: 'select from lanes where lane = $1 and lease_token = $2 and lease_until > now() for update',
    values: [bytesOfHex(lease.lane), lease.token],
  });
  if (rowCount === 0) throw new LeaseLostError(`the lease of lane ${lease.lane} is lost`);
}
