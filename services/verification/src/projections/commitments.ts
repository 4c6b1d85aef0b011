import { claimMessages, passGate } from '@indelible/event-store';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import { arrayOf, type Client, type Database, isConflict } from '@indelible/postgres';
import { failpoint } from '@indelible/service-runtime';
import { type ChainCursor, type ChainMessage, type ChainStep, followChains } from '../decisions/follow-chain.ts';
import { cursorChannel, lockCursors, saveCursors } from './cursors.ts';

/** The inbox name of both projections: message ids are unique across topics. */
export const consumerName = 'verification';

/** Lets a rebuilt projection replace this one while the other continues. */
export const commitmentsGate = 'verification.commitments';

/** Rows per insert statement: bounds the memory of a batch of full blocks. */
const rowsPerInsert = 20_000;

/**
 * Table `commitments`; handles BlockAppended, BlocksReverted, BlocksFinalized. Inbox, rows and cursors change in one
 * transaction, set-wise and in the messages' order (I5); requests that wait for a block are woken at commit.
 * @returns the cursors that changed, how many rows came and went, and what is missing
 */
export async function projectBlocks(
  database: Pick<Database, 'transaction' | 'schema'>,
  messages: readonly (ChainMessage & { readonly id: string })[],
): Promise<BlocksProjected> {
  const project = (place: Place): Promise<BlocksProjected> =>
    database.transaction((client) => projectIn(client, database.schema, messages, place));
  try {
    return await project('free');
  } catch (error) {
    if (!isConflict(error)) throw error;
    return await project('maybe taken');
  }
}

async function projectIn(
  client: Client,
  schema: string,
  messages: readonly (ChainMessage & { readonly id: string })[],
  place: Place,
): Promise<BlocksProjected> {
  await passGate(client, commitmentsGate);
  const unseen = await claimMessages(
    client,
    consumerName,
    messages.map((message) => message.id),
  );
  const projected = await applyBlocks(
    client,
    firstOfEach(messages).filter((message) => unseen.has(message.id)),
    place,
  );
  for (const [chainId, cursor] of projected.cursors)
    await client.query('select pg_notify($1, $2)', [cursorChannel(schema), `${chainId}:${cursor.number}`]);
  if (projected.inserted > 0) failpoint('verification.projecting');
  return projected;
}

/**
 * Whether the commitments' positions on the chain are known to be free, since each block usually comes once: then a
 * plain insert needs only two thirds of the CPU of `on conflict`, and a taken one is a conflict (`isConflict`).
 */
type Place = 'free' | 'maybe taken';

export type BlocksProjected = {
  readonly cursors: ReadonlyMap<number, ChainCursor>;
  readonly inserted: number;
  readonly reverted: number;
  /** The first missing block of each chain that now has a gap. */
  readonly missing: ReadonlyMap<number, number>;
};

/** Applies messages that were not applied before, in the caller's transaction. */
export async function applyBlocks(
  client: Client,
  fresh: readonly ChainMessage[],
  place: Place = 'maybe taken',
): Promise<BlocksProjected> {
  const chains = [...new Set(fresh.map((message) => message.data.chainId))];
  const { cursors, steps, missing } = followChains(await lockCursors(client, chains), fresh);
  let inserted = 0;
  let reverted = 0;
  for (const step of steps) {
    const changed = await take(client, step, place);
    if (step.kind === 'insert') inserted += changed;
    else reverted += changed;
  }
  await saveCursors(client, cursors);
  return { cursors, inserted, reverted, missing };
}

const firstOfEach = <Message extends { readonly id: string }>(messages: readonly Message[]): Message[] => {
  const seen = new Set<string>();
  return messages.filter((message) => !seen.has(message.id) && seen.add(message.id));
};

async function take(client: Client, step: ChainStep, place: Place): Promise<number> {
  if (step.kind === 'revert') {
    const { rowCount } = await client.query('delete from commitments where chain_id = $1 and block_number > $2', [
      step.chainId,
      step.above,
    ]);
    return rowCount ?? 0;
  }
  let inserted = 0;
  for (let start = 0; start < step.commitments.length; start += rowsPerInsert)
    inserted += await insert(client, step.commitments.slice(start, start + rowsPerInsert), place);
  return inserted;
}

/** A log's place on the canonical chain is its identity: the same row again is the same commitment. */
async function insert(client: Client, commitments: readonly Receipt[], place: Place): Promise<number> {
  const { rowCount } = await client.query({
    name: place === 'free' ? 'insert-commitments' : 'insert-missing-commitments',
    text: `insert into commitments (object_cid, user_address, chain_id, block_number, log_index, set_cid, block_time,
             transaction_hash, block_hash)
           select * from unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[], $5::int[], $6::bytea[],
             $7::bigint[], $8::bytea[], $9::bytea[])
           ${place === 'free' ? '' : 'on conflict do nothing'}`,
    values: [
      arrayOf.bytea(commitments.map((row) => row.objectCid)),
      arrayOf.bytea(commitments.map((row) => row.account)),
      arrayOf.bigint(commitments.map((row) => row.chainId)),
      arrayOf.bigint(commitments.map((row) => row.blockNumber)),
      arrayOf.int(commitments.map((row) => row.logIndex)),
      arrayOf.bytea(commitments.map((row) => row.setCid)),
      arrayOf.bigint(commitments.map((row) => row.blockTime)),
      arrayOf.bytea(commitments.map((row) => row.transactionHash)),
      arrayOf.bytea(commitments.map((row) => row.blockHash)),
    ],
  });
  return rowCount ?? 0;
}

type FoundRow = { [Field in keyof Receipt]: Receipt[Field] | null } & { reached: boolean };

/** A receipt's position among those of its CID. */
export type ReceiptPlace = Pick<Receipt, 'blockTime' | 'chainId' | 'blockNumber' | 'logIndex'>;

export type CommitmentQuery = {
  /** Without repetitions. */
  readonly cids: readonly Hex[];
  readonly owner?: Hex | undefined;
  /** Of that owner. */
  readonly setCid?: Hex | undefined;
  readonly minBlock?: { readonly chainId: number; readonly number: number } | undefined;
  /** Of the first CID, only the receipts after this place. */
  readonly after?: ReceiptPlace | undefined;
};

/**
 * The commitments of CIDs, in the order of `cids`, then by time and position on the chain, up to a limit; the next are
 * found after the last of them. One statement and so one snapshot: with `minBlock` it returns undefined when that
 * snapshot's cursor has not reached the block (I9). Each CID is one index scan in one partition, from its start and up
 * to the limit, so the time grows with the result and not with the table, nor with a CID's receipts. With an owner it
 * scans that owner's, by chain, block and log, which on one chain is the order of time.
 * @param limit of the receipts returned
 */
export async function findCommitments(
  database: Pick<Database, 'query'>,
  { cids, owner, setCid, minBlock, after }: CommitmentQuery,
  limit: number,
): Promise<Receipt[] | undefined> {
  const of = owner === undefined ? '' : setCid === undefined ? '-of-owner' : '-of-set';
  const order = owner === undefined ? placeByTime : placeOfOwner;
  const { rows } = await database.query<FoundRow>({
    name: `find-commitments${of}`,
    text: `
      select reached.yes as reached, ${columns}
      from (select $2::bigint is null or exists (
              select from cursors where chain_id = $2 and number >= $3::bigint) as yes) as reached
      left join lateral (
        select requested.nth, c.*
        from (
          select cid, nth, case nth when 1 then $5::bigint else -1 end as block_time, case nth when 1 then $6::bigint else -1 end as chain_id,
            case nth when 1 then $7::bigint else -1 end as block_number, case nth when 1 then $8::int else -1 end as log_index
          from unnest($1::bytea[]) with ordinality as listed (cid, nth)
        ) as requested
        cross join lateral (
          select * from commitments k
          where object_cid = requested.cid and reached.yes and (${order('k')}) > (${order('requested')})
            ${owner === undefined ? '' : 'and user_address = $9::bytea'} ${setCid === undefined ? '' : 'and set_cid = $10::bytea'}
          order by ${order('k')}
          limit $4
        ) as c
        limit $4
      ) as found on true
      order by found.nth, ${order('found')}`,
    values: [
      arrayOf.bytea(cids),
      minBlock?.chainId ?? null,
      minBlock?.number ?? null,
      limit,
      after?.blockTime ?? -1,
      after?.chainId ?? -1,
      after?.blockNumber ?? -1,
      after?.logIndex ?? -1,
      ...(owner === undefined ? [] : [bytesOfHex(owner)]),
      ...(owner === undefined || setCid === undefined ? [] : [bytesOfHex(setCid)]),
    ],
  });
  if (rows[0]?.reached !== true) return undefined;
  return rows.flatMap(({ reached: _, ...row }) => (isReceipt(row) ? [row] : []));
}

const placeOfOwner = (row: string): string => `${row}.chain_id, ${row}.block_number, ${row}.log_index`;
const placeByTime = (row: string): string => `${row}.block_time, ${placeOfOwner(row)}`;

/** Without receipts, the result's only row carries just `reached`. */
const isReceipt = (row: Omit<FoundRow, 'reached'>): row is Receipt => row.transactionHash !== null;

const hex = (column: string, name: string): string => `'0x' || encode(found.${column}, 'hex') as "${name}"`;
const columns = [
  hex('transaction_hash', 'transactionHash'),
  'found.log_index as "logIndex"',
  'found.block_number as "blockNumber"',
  hex('block_hash', 'blockHash'),
  'found.block_time as "blockTime"',
  'found.chain_id as "chainId"',
  hex('user_address', 'account'),
  hex('set_cid', 'setCid'),
  hex('object_cid', 'objectCid'),
].join(', ');
