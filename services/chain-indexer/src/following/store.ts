import { appendEvents, type NewEvent } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import type { MessageContract } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { blockAppended, blocksMarked, blocksReverted, type ChainMessage } from '../decisions/chain-messages.ts';
import { schema } from '../schema.ts';
import { traceBlocks } from './block-trace.ts';
import {
  anchorAt,
  countUnpublished,
  dropHeaders,
  insertCursor,
  insertHeaders,
  moveCursor,
  pruneHeaders,
  readCursor,
  withActivity,
} from './chain-queries.ts';
import { type Cursor, CursorMovedError, type StoredCursor, type StorePort } from './ports.ts';
import { moveRun, readRun, takeRunBack } from './republish-queries.ts';

/** Headers kept below the last final block: a deeper fork only shows that the chain is another. */
const keptBelowFinal = 512;
const mostCounted = 100_000;

/** The state of one chain in Postgres. Each change and the messages that report it are one transaction. */
export function createStore(database: Database, chainId: number, tracing: Tracing): StorePort {
  /** Writes the cursor if it is unchanged, together with the messages and everything else of the change. */
  const move = (
    from: Cursor,
    to: Omit<StoredCursor, 'version'>,
    messages: readonly ChainMessage[],
    change: (client: Client) => Promise<void>,
  ): Promise<Cursor> =>
    database.transaction(async (client) => {
      const version = from.version + messages.length;
      // First: it locks the row, so that two leaders' writes cannot mix.
      const moved = await moveCursor(client, chainId, from, { ...to, version });
      if (!moved) throw new CursorMovedError(`the cursor of chain ${chainId} is no longer at block ${from.number}`);
      await change(client);
      await appendEvents(client, schema, messages.map(eventOf(chainId, from.version)));
      return withActivity(client, chainId, { ...to, version });
    });

  return {
    load: async () => readCursor(database, chainId),

    begin: (anchor) =>
      database.transaction(async (client) => {
        const { number, hash } = anchor;
        await insertCursor(client, chainId, anchor);
        await insertHeaders(client, chainId, [{ ...anchor, logs: [] }]);
        const at = { number, hash, finalized: number, safe: number, version: 0, reorgs: 0 };
        return { start: number + 1, ...at, firstActive: undefined, firstUnsafe: undefined };
      }),

    async hashAt(number) {
      const { rows } = await database.query<{ hash: Buffer }>({
        name: 'hash-at',
        text: 'select hash from blocks where chain_id = $1 and number = $2',
        values: [chainId, number],
      });
      return rows[0] === undefined ? undefined : hexOfBytes(rows[0].hash);
    },

    async placesBelow(number, limit) {
      const { rows } = await database.query<{ number: number; hash: Buffer }>({
        name: 'places-below',
        text: 'select number, hash from blocks where chain_id = $1 and number <= $2 order by number desc limit $3',
        values: [chainId, number, limit],
      });
      return rows.map((row) => ({ number: row.number, hash: hexOfBytes(row.hash) }));
    },

    async append(cursor, blocks) {
      const last = blocks.at(-1) ?? cursor;
      const trace = traceBlocks(tracing, blocks);
      const messages = blocks.flatMap((block) =>
        trace.carry(block, blockAppended(chainId, { reorgs: cursor.reorgs }, block)),
      );
      const to = { ...storedOf(cursor), number: last.number, hash: last.hash };
      const moved = await move(cursor, to, messages, (client) => insertHeaders(client, chainId, blocks));
      trace.end();
      return moved;
    },

    async replace(cursor, ancestor, blocks, anchor) {
      const reorgs = cursor.reorgs + 1;
      const last = blocks.at(-1) ?? ancestor;
      // The anchor itself was not published.
      const reverted = cursor.version > 0 ? [blocksReverted(chainId, reorgs, ancestor, cursor)] : [];
      const trace = traceBlocks(tracing, blocks);
      const appended = blocks.flatMap((block) => trace.carry(block, blockAppended(chainId, { reorgs }, block)));
      const messages = [...reverted, ...appended];
      const finalized = Math.min(cursor.finalized, ancestor.number);
      const safe = Math.min(cursor.safe, ancestor.number);
      const to = { start: cursor.start, number: last.number, hash: last.hash, finalized, safe, reorgs };
      const moved = await move(cursor, to, messages, async (client) => {
        await dropHeaders(client, chainId, anchor === undefined ? ancestor.number + 1 : anchor.number);
        await insertHeaders(client, chainId, [...anchorAt(anchor), ...blocks]);
        await takeRunBack(client, chainId, ancestor.number);
      });
      trace.end();
      return moved;
    },

    mark(cursor, mark, place) {
      const message = blocksMarked(chainId, { reorgs: cursor.reorgs }, mark, place);
      const safe = Math.max(cursor.safe, place.number);
      const finalized = mark === 'finalized' ? place.number : cursor.finalized;
      return move(cursor, { ...storedOf(cursor), safe, finalized }, [message], (client) =>
        pruneHeaders(client, chainId, cursor.start, finalized - keptBelowFinal),
      );
    },

    run: () => readRun(database, chainId),

    async republish(cursor, from, blocks, to) {
      const { reorgs, start } = cursor;
      const publication = { reorgs, run: from.run };
      const messages = blocks.flatMap((block) => blockAppended(chainId, publication, block));
      // What is final is safe as well.
      const marks = cursor.safe > cursor.finalized ? (['finalized', 'safe'] as const) : (['finalized'] as const);
      for (const mark of to.done ? marks : []) {
        const number = cursor[mark];
        const hash = number < start ? undefined : await this.hashAt(number);
        if (hash !== undefined) messages.push(blocksMarked(chainId, publication, mark, { number, hash }));
      }
      return move(cursor, storedOf(cursor), messages, async (client) => {
        if (!(await moveRun(client, chainId, from, to)))
          throw new CursorMovedError(`the run that publishes blocks of chain ${chainId} again has changed`);
      });
    },

    unpublished: () => countUnpublished(database, mostCounted),
  };
}

const storedOf = ({ start, number, hash, finalized, safe, reorgs }: Cursor): Omit<StoredCursor, 'version'> => ({
  start,
  number,
  hash,
  finalized,
  safe,
  reorgs,
});

const eventOf =
  (chainId: number, version: number) =>
  ({ contract, id, data, traceparent }: ChainMessage, i: number): NewEvent => ({
    stream: `chain-${chainId}`,
    version: version + 1 + i,
    contract: contract as unknown as MessageContract,
    data,
    id,
    ...(traceparent === undefined ? {} : { traceparent }),
  });
