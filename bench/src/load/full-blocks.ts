import { createHash } from 'node:crypto';

/** Blocks that are full: one transaction each, with as many objects as fit into one. */
export type FullBlocks = {
  readonly count: number;
  readonly logsPerBlock: number;
  readonly chainId: number;
  readonly contract: string;
  /** AddSetObject. */
  readonly topic: string;
};

/** A commitment as a row, its values as hex digits without 0x. */
export type Commitment = { readonly block: number; readonly logIndex: number; readonly objectCid: string };

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
const quantity = (value: number): string => `0x${value.toString(16)}`;
const firstSecond = 1_700_000_000;
const gasUsed = '0xe4e1c0';

export const user = '11'.repeat(20);
export const setCid = digest('set');
export const blockHash = (number: number): string => digest(`block ${number}`);
export const transactionHash = (number: number): string => digest(`transaction ${number}`);
export const blockTime = (number: number): number => firstSecond + number;
export const objectCid = (number: number, logIndex: number): string => digest(`${number} ${logIndex}`);

/** A block as a node tells it: its header, and its receipts. Block 0 is empty. */
export function fullBlock({ logsPerBlock, contract, topic }: FullBlocks, number: number) {
  const bloom = `0x${(number === 0 ? '0' : 'f').repeat(512)}`;
  const place = {
    blockHash: `0x${blockHash(number)}`,
    blockNumber: quantity(number),
    transactionHash: `0x${transactionHash(number)}`,
    transactionIndex: '0x0',
  };
  const header = {
    number: quantity(number),
    hash: place.blockHash,
    parentHash: `0x${blockHash(number - 1)}`,
    timestamp: quantity(blockTime(number)),
    logsBloom: bloom,
    gasLimit: '0x1c9c380',
    gasUsed: number === 0 ? '0x0' : gasUsed,
    baseFeePerGas: '0x7',
    transactions: number === 0 ? [] : [place.transactionHash],
  };
  if (number === 0) return { header, receipts: [] };
  const data = `0x${blockTime(number).toString(16).padStart(64, '0')}`;
  const logs = Array.from({ length: logsPerBlock }, (_, i) => ({
    address: contract,
    topics: [topic, `0x${user.padStart(64, '0')}`, `0x${setCid}`, `0x${objectCid(number, i)}`],
    data,
    ...place,
    blockTimestamp: header.timestamp,
    logIndex: quantity(i),
    removed: false,
  }));
  const receipt = {
    type: '0x2',
    status: '0x1',
    cumulativeGasUsed: gasUsed,
    gasUsed,
    effectiveGasPrice: '0x8',
    from: `0x${user}`,
    to: contract,
    contractAddress: null,
    logsBloom: bloom,
    logs,
    ...place,
  };
  return { header, receipts: [receipt] };
}
