import { createReadStream } from 'node:fs';
import { type FileHandle, open, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { callRpc, callRpcs } from './json-rpc.ts';

/** A block as it can be mined again: the same transactions on the same parent at the same time make the same hash. */
interface JournalBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

/** A block as the node returns it, without its transactions' fields. */
interface Header {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly transactions: readonly string[];
}

const TIMEOUT_MS = 30_000;
/** More blocks than come between two polls: somebody else mines; saving the whole chain is cheaper. */
const MOST_BLOCKS_AT_ONCE = 256;

/**
 * The blocks since the last whole save, one per line, appended as they are mined. Writing the whole chain blocks anvil
 * for seconds; a block is read and appended in milliseconds. A journal truncated by a crash or a full disk loses the
 * blocks after the cut: for readers of the chain a reorganisation.
 */
export class ChainJournal {
  readonly #rpcUrl: string;
  readonly #file: FileHandle;
  #head: { readonly number: number; readonly hash: string };
  #bytes: number;

  private constructor(rpcUrl: string, file: FileHandle, head: { number: number; hash: string }, bytes: number) {
    this.#rpcUrl = rpcUrl;
    this.#file = file;
    this.#head = head;
    this.#bytes = bytes;
  }

  /** Continues from the chain's newest block; `path` must lead up to it (see {@link replayJournal}). */
  static async open(rpcUrl: string, path: string): Promise<ChainJournal> {
    const head = await readHead(rpcUrl);
    const file = await open(path, 'a', 0o600);
    return new ChainJournal(rpcUrl, file, head, (await file.stat()).size);
  }

  /** The size of the file. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends new blocks. False when they do not follow the last one: then only a whole save helps. */
  async follow(): Promise<boolean> {
    const head = await readHead(this.#rpcUrl);
    const { number: first } = this.#head;
    if (head.number < first || head.number - first > MOST_BLOCKS_AT_ONCE) return false;
    for (let number = first; number <= head.number; number++) {
      const block = await readBlock(this.#rpcUrl, number);
      if (number === first) {
        // the last known block may have been replaced without a successor yet
        if (block.hash !== this.#head.hash) return false;
        continue;
      }
      if (block.parentHash !== this.#head.hash) return false;
      const line = `${JSON.stringify(block)}\n`;
      await this.#file.appendFile(line);
      this.#bytes += Buffer.byteLength(line);
      this.#head = { number, hash: block.hash };
    }
    return true;
  }

  /** Begins again, after the chain has been saved whole. */
  async clear(): Promise<void> {
    this.#head = await readHead(this.#rpcUrl);
    await this.#file.truncate(0);
    this.#bytes = 0;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/**
 * Mines the blocks of a journal again on the chain saved before them, and truncates the file at the first line that is
 * torn or leads to another block. Does nothing without a file.
 */
export async function replayJournal(rpcUrl: string, path: string): Promise<void> {
  let head = await readHead(rpcUrl);
  let kept = 0;
  let mined = false;
  try {
    const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      const block = parseBlock(line);
      if (block === undefined) break;
      if (block.number <= head.number) {
        if ((await readHeader(rpcUrl, block.number)).hash !== block.hash) break;
      } else {
        if (block.number !== head.number + 1 || block.parentHash !== head.hash) break;
        // the node's clock starts with it, and it mines nothing before that
        if (!mined) await setClock(rpcUrl, Number((await readHeader(rpcUrl, head.number)).timestamp));
        mined = true;
        if ((await mineAgain(rpcUrl, block)) !== block.hash) break;
        head = block;
      }
      kept += Buffer.byteLength(line) + 1;
    }
    await truncate(path, kept);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (!mined) return;
  const { timestamp } = await readHeader(rpcUrl, head.number);
  await setClock(rpcUrl, Math.max(Number(timestamp), Math.floor(Date.now() / 1000)));
}

function setClock(rpcUrl: string, seconds: number): Promise<unknown> {
  return call(rpcUrl, 'evm_setTime', [seconds]);
}

/** The hash of the block; undefined when a transaction cannot be sent, such as one whose sender's balance was set. */
async function mineAgain(rpcUrl: string, block: JournalBlock): Promise<string | undefined> {
  const sends = block.transactions.map((raw) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
  try {
    await callRpcs(rpcUrl, sends, AbortSignal.timeout(TIMEOUT_MS));
  } catch {
    await call(rpcUrl, 'anvil_dropAllTransactions', []);
    return undefined;
  }
  await call(rpcUrl, 'evm_setNextBlockTimestamp', [block.timestamp]);
  await call(rpcUrl, 'evm_mine', []);
  return (await readHeader(rpcUrl, block.number)).hash;
}

async function readBlock(rpcUrl: string, number: number): Promise<JournalBlock> {
  const header = await readHeader(rpcUrl, number);
  const reads = header.transactions.map((_hash, index) => ({
    method: 'eth_getRawTransactionByBlockNumberAndIndex',
    params: [header.number, `0x${index.toString(16)}`],
  }));
  const transactions = await callRpcs<string>(rpcUrl, reads, AbortSignal.timeout(TIMEOUT_MS));
  const { hash, parentHash, timestamp } = header;
  return { number, hash, parentHash, timestamp, transactions };
}

function readHeader(rpcUrl: string, number: number): Promise<Header> {
  return call<Header>(rpcUrl, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
}

async function readHead(rpcUrl: string): Promise<{ readonly number: number; readonly hash: string }> {
  const { number, hash } = await call<Header>(rpcUrl, 'eth_getBlockByNumber', ['latest', false]);
  return { number: Number(number), hash };
}

function call<T>(rpcUrl: string, method: string, params: readonly unknown[]): Promise<T> {
  return callRpc<T>(rpcUrl, method, params, AbortSignal.timeout(TIMEOUT_MS));
}

/** Undefined for a line that is torn. */
function parseBlock(line: string): JournalBlock | undefined {
  try {
    return JSON.parse(line) as JournalBlock;
  } catch {
    return undefined;
  }
}
