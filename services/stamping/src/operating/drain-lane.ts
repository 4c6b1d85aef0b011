import { setTimeout as delay } from 'node:timers/promises';
import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import {
  estimateFees,
  estimateGas,
  ethCall,
  getBalance,
  getTransactionCount,
  priceOf,
  profileOf,
  sendRawTransaction,
  signTransactionBy,
  waitForReceipt,
} from '@indelible/ethereum';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import { type LaneLease, releaseLease, renewLease, takeDrained, takeNonce } from '../batching/lane-lease.ts';
import { finalBlock } from '../restoring/lane-authority.ts';
import { type LaneKey, type LanePlace, LaneRefusedError } from './lane-place.ts';

const pollMs = 500;
const leaseMs = 60_000;
/** Left on a lane where the chain charges for data separately from gas. */
const dataFeeWei = 10n ** 14n;

type Options = {
  readonly to: Hex;
  readonly timeoutMs: number;
  /** Drains even the last active lane. */
  readonly last: boolean;
  readonly note: (text: string) => void;
};

export type DrainedLane = { readonly lane: Hex; readonly to: Hex; readonly sent: string };

/**
 * Closes the lane, waits until stamping has left it, once its batches are final, and then sends the rest of its funds.
 * Its nonces are used only under the lane's lease (I3). It may be stopped at any point and run again.
 * @throws LaneRefusedError when it is no lane of this operator, or the last one, or not empty in time
 */
export async function drainLane(place: LanePlace, lane: LaneKey, options: Options): Promise<DrainedLane> {
  const { database } = place;
  const deadline = performance.now() + options.timeoutMs;
  await close(place, lane, options.last);
  const lease = await untilEmpty(place, lane, deadline, options.note);
  const renewing = setInterval(() => void renewLease(database, lease, leaseMs).catch(() => {}), leaseMs / 3);
  try {
    const sent = await sendRest(place, lane, lease, options.to, deadline);
    await untilFinal(place, lane, deadline);
    return { lane: lane.address, to: options.to, sent: sent.toString() };
  } finally {
    clearInterval(renewing);
    await releaseLease(database, lease).catch(() => {});
  }
}

async function close({ database, rpc, chainId, ...granted }: LanePlace, lane: LaneKey, last: boolean): Promise<void> {
  const data = encodeLaneOperator({ lane: lane.address });
  const operator = decodeLaneOperator(await ethCall(rpc, { to: granted.contract, data }, 'latest'));
  const firstNonce = await getTransactionCount(rpc, lane.address, 'latest');
  await database.transaction(async (client) => {
    // One command at a time, or two might close the last two lanes.
    await client.query('lock table lanes in share row exclusive mode');
    const { rows } = await client.query<{ others: number; known: boolean }>(
      `select (select count(*) from lanes where chain_id = $1 and lane <> $2 and not draining) as others,
         exists (select from lanes where lane = $2) as known`,
      [chainId, bytesOfHex(lane.address)],
    );
    // A drained lane stays closed: a wrong index would close a future lane.
    if (!rows[0]?.known && operator !== granted.operator)
      throw new LaneRefusedError(`lane ${lane.index} was neither added nor ever used: there is nothing to drain`);
    if (rows[0]?.others === 0 && !last)
      throw new LaneRefusedError(
        `lane ${lane.index} is the last that takes batches: stamps would wait. Add another first, or add --last`,
      );
    await client.query(
      `insert into lanes (lane, chain_id, next_nonce, draining) values ($1, $2, $3, true)
       on conflict (lane) do update set draining = true`,
      [bytesOfHex(lane.address), chainId, firstNonce],
    );
  });
}

async function untilEmpty(
  { database }: LanePlace,
  lane: LaneKey,
  deadline: number,
  note: (text: string) => void,
): Promise<LaneLease> {
  let noted = '';
  for (;;) {
    const lease = await takeDrained(database, { lane: lane.address, holder: 'indelible lanes drain', leaseMs });
    if (lease !== undefined) return lease;
    const { rows } = await database.query<{ batches: number; holder: string | null }>(
      `select (select count(*) from batches where lane = l.lane and status = 'signed')
           + (select count(*) from batches where lane = l.lane and status = 'included') as batches,
         case when l.lease_until > now() then l.lease_holder end as holder
       from lanes l where l.lane = $1`,
      [bytesOfHex(lane.address)],
    );
    const { batches = 0, holder = null } = rows[0] ?? {};
    const waiting =
      batches > 0 ? `${batches} of its batches are not final` : `it is held by ${holder ?? 'nobody, and is taken'}`;
    if (performance.now() >= deadline)
      throw new LaneRefusedError(
        `lane ${lane.index} takes nothing new, but ${waiting}. Nothing was sent: run the command again`,
      );
    if (waiting !== noted) note(`lane ${lane.index}: ${waiting} …`);
    noted = waiting;
    await delay(pollMs);
  }
}

/** @returns the wei sent */
async function sendRest(
  { rpc, database, chainId }: LanePlace,
  lane: LaneKey,
  lease: LaneLease,
  to: Hex,
  deadline: number,
): Promise<bigint> {
  const left = (): number => Math.max(1_000, deadline - performance.now());
  const { rows } = await database.query<{ next_nonce: number }>('select next_nonce from lanes where lane = $1', [
    bytesOfHex(lane.address),
  ]);
  // An interrupted run took a nonce: the chain may have its transaction, or not yet, or never. No batch has that nonce.
  const taken = rows[0]?.next_nonce ?? 0;
  while ((await getTransactionCount(rpc, lane.address, 'pending')) > (await getTransactionCount(rpc, lane.address))) {
    if (performance.now() >= deadline)
      throw new LaneRefusedError(`a transaction of lane ${lane.index} is in no block: run the command again`);
    await delay(pollMs);
  }
  const unused = await getTransactionCount(rpc, lane.address);
  const [fees, balance, gas] = await Promise.all([
    estimateFees(rpc),
    getBalance(rpc, lane.address),
    estimateGas(rpc, { from: lane.address, to, data: '0x' }),
  ]);
  const value = balance - gas * priceOf(fees) - (profileOf(chainId).l1DataFee === 'apart' ? dataFeeWei : 0n);
  if (value <= 0n) {
    if (unused < taken)
      throw new LaneRefusedError(
        `lane ${lane.index} cannot pay for its nonce ${unused}: send it funds and run the command again`,
      );
    return 0n;
  }
  if (unused > taken)
    throw new LaneRefusedError(`another program has used the key of lane ${lane.index}: find out which`);
  const nonce = unused < taken ? unused : await database.transaction((client) => takeNonce(client, lease));
  const fields = { chainId, nonce, to, data: '0x', gasLimit: gas, value } as const;
  const { rawTransaction, hash } = await signTransactionBy(fields, fees, lane.sign);
  await sendRawTransaction(rpc, rawTransaction);
  await waitForReceipt(rpc, hash, { timeoutMs: left() });
  return value;
}

/** A reorg that took the last transaction back would leave a gap in the lane's nonces. */
async function untilFinal({ rpc, chainId }: LanePlace, lane: LaneKey, deadline: number): Promise<void> {
  const used = await getTransactionCount(rpc, lane.address, 'latest');
  for (;;) {
    if ((await getTransactionCount(rpc, lane.address, await finalBlock(rpc, chainId))) >= used) return;
    if (performance.now() >= deadline)
      throw new LaneRefusedError(
        `what lane ${lane.index} had left was sent, and is in no final block yet: run the command again to see it through`,
      );
    await delay(pollMs);
  }
}
