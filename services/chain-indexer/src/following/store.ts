import { appendEvents, type NewEvent } from '@indelible/event-store';
import { hexOfBytes } from '@indelible/identifiers';
import type { MessageContract } from '@indelible/messages';
import type { Client, Database } from '@indelible/postgres';
import { blockAppended, blocksFinalized, blocksReverted, type ChainMessage } from '../decisions/chain-messages.ts';
import { schema } from '../schema.ts';
import {
  anchorAt,
  dropHeaders,
  firstActiveAbove,
  insertCursor,
  insertHeaders,
  moveCursor,
  readCursor,
} from './chain-queries.ts';
import { type Cursor, CursorMovedError, type StorePort } from './ports.ts';

/** Headers kept below the last final block: forks deeper than that are found only to be another chain. */
const keptBelowFinal = 512;

/** What is known of one chain in Postgres. Each change of it and the messages that tell of it are one transaction. */
export function createStore(database: Database, chainId: number): StorePort {
  /** Writes the cursor if it is still what it was, and with it the messages and whatever else belongs to the change. */
  const move = (
    from: Cursor,
    to: Omit<Cursor, 'version' | 'firstActive'>,
    messages: readonly ChainMessage[],
    change: (client: Client) => Promise<void>,
  ): Promise<Cursor> =>
    database.transaction(async (client) => {
      const version = from.version + messages.length;
      // First of all: it locks the row, so that the writes of two leaders cannot mingle.
      const moved = await moveCursor(client, chainId, from, { ...to, version });
      if (!moved) throw new CursorMovedError(`the cursor of chain ${chainId} is no longer at block ${from.number}`);
      await change(client);
      await appendEvents(client, schema, messages.map(eventOf(chainId, from.version)));
      return { ...to, version, firstActive: await firstActiveAbove(client, chainId, to.finalized) };
    });

  return {
    load: async () => readCursor(database, chainId),

    begin: (anchor) =>
      database.transaction(async (client) => {
        const { number, hash } = anchor;
        await insertCursor(client, chainId, anchor);
        await insertHeaders(client, chainId, [{ ...anchor, logs: [] }]);
        return { start: number + 1, number, hash, finalized: number, version: 0, reorgs: 0, firstActive: undefined };
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

    append(cursor, blocks) {
      const last = blocks.at(-1) ?? cursor;
      const messages = blocks.flatMap((block) => blockAppended(chainId, cursor.reorgs, block));
      return move(cursor, { ...cursor, number: last.number, hash: last.hash }, messages, (client) =>
        insertHeaders(client, chainId, blocks),
      );
    },

    replace(cursor, ancestor, blocks, anchor) {
      const reorgs = cursor.reorgs + 1;
      const last = blocks.at(-1) ?? ancestor;
      // Nobody was told of the anchor itself.
      const reverted = cursor.version > 0 ? [blocksReverted(chainId, reorgs, ancestor, cursor)] : [];
      const messages = [...reverted, ...blocks.flatMap((block) => blockAppended(chainId, reorgs, block))];
      const finalized = Math.min(cursor.finalized, ancestor.number);
      const to = { start: cursor.start, number: last.number, hash: last.hash, finalized, reorgs };
      return move(cursor, to, messages, async (client) => {
        await dropHeaders(client, chainId, anchor === undefined ? ancestor.number + 1 : anchor.number);
        await insertHeaders(client, chainId, [...anchorAt(anchor), ...blocks]);
      });
    },

    finalize(cursor, place) {
      const message = blocksFinalized(chainId, cursor.reorgs, place);
      const { start, number, hash, reorgs } = cursor;
      return move(cursor, { start, number, hash, reorgs, finalized: place.number }, [message], async (client) => {
        await client.query({
          name: 'prune-headers',
          text: 'delete from blocks where chain_id = $1 and number >= $2 and number < $3',
          values: [chainId, start, place.number - keptBelowFinal],
        });
      });
    },
  };
}

const eventOf =
  (chainId: number, version: number) =>
  ({ contract, id, data }: ChainMessage, i: number): NewEvent => ({
    stream: `chain-${chainId}`,
    version: version + 1 + i,
    contract: contract as unknown as MessageContract,
    data,
    id,
  });
