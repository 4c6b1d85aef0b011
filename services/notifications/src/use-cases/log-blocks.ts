import type { Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { createFairQueue } from '@indelible/service-runtime';
import { readBlock } from '../tables/log.ts';
import type { ReadLogRows } from './read-events.ts';

type Row = Awaited<ReturnType<ReadLogRows>>[number];
/** Rows of a block. It is whole once the log reaches its end: then it no longer changes. */
type Block = { readonly rows: readonly Row[]; readonly characters: number; readonly isWhole: boolean };

const blockPositions = 256;
/** Of JSON; as objects it is some three times as much. */
const keptCharacters = 16 * 2 ** 20;
/** Each takes some milliseconds of the event loop, which the public topic and webhooks share. */
const readAtOnce = 2;

/**
 * Reads logs in blocks of positions. Each is read and parsed once for all current readers: a thousand readers that are
 * behind in one log cost as much as one. Recently used blocks are cached. Accounts take turns (I12).
 */
export function createLogBlocks(
  database: Pick<Database, 'query'>,
  { kept = keptCharacters }: { readonly kept?: number } = {},
): ReadLogRows {
  const inTurns = createFairQueue(readAtOnce);
  /** Least recently used first. */
  const blocks = new Map<string, Block>();
  const reading = new Map<string, Promise<Block>>();
  let characters = 0;

  function keep(name: string, block: Block): void {
    blocks.set(name, block);
    characters += block.characters;
    for (const [oldest, { characters: freed }] of blocks) {
      if (characters <= kept) return;
      blocks.delete(oldest);
      characters -= freed;
    }
  }

  async function read(name: string, account: Hex, after: number, last: number): Promise<Block> {
    const range = { first: last - blockPositions + 1, last, after };
    const found = await readBlock(database, account, range);
    const block = { ...found, isWhole: (found.rows.at(-1)?.position ?? 0) >= last };
    if (block.isWhole && !blocks.has(name)) keep(name, block);
    return block;
  }

  /**
   * A read of a whole block serves all readers. One at the end of the log does not: the log may have grown since its
   * query began.
   */
  async function blockOf(account: Hex, after: number): Promise<Block> {
    const last = (Math.floor(after / blockPositions) + 1) * blockPositions;
    const name = `${account} ${last}`;
    const shared = await reading.get(name)?.catch(() => undefined);
    const known = shared?.isWhole === true ? shared : blocks.get(name);
    if (known !== undefined) {
      if (blocks.delete(name)) blocks.set(name, known);
      return known;
    }
    const own = inTurns(account, async () => blocks.get(name) ?? (await read(name, account, after, last)));
    if (!reading.has(name)) {
      reading.set(name, own);
      own.catch(() => {}).finally(() => reading.delete(name));
    }
    return own;
  }

  return async (account, after) => {
    const { rows } = await blockOf(account, after);
    return rows.filter(({ position }) => position > after);
  };
}
