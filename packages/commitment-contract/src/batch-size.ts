import { isZeroCid } from '@indelible/identifiers';
import { fixedBytes, objectBytes, type Run, runBytes } from './codec/commit-batch.ts';

/** Upper bounds of what a commitBatch transaction takes. */
export interface BatchSize {
  /** Gas: fit to be the transaction's gas limit. */
  readonly gas: number;
  readonly calldataBytes: number;
  /** The signed transaction, call data included. */
  readonly transactionBytes: number;
}

export type BatchLimits = Pick<BatchSize, 'gas' | 'transactionBytes'>;

/** What a transaction may take on any chain of Ethereum's rules: EIP-7825, and the 128 KiB of the nodes' pools. */
export const transactionLimits: BatchLimits = { gas: 16_777_216, transactionBytes: 131_072 };

/*
 * Ethereum's price list since Berlin, with every byte of call data taken as non-zero that can be, every slot as cold,
 * and for the contract's own code somewhat more than was measured. The floor price of call data (EIP-7623: at most
 * 1,280 gas an object, 2,900 a run) stays below these bounds. Chains that fold the cost of their data into gas
 * (Arbitrum) take more: there the node must estimate it.
 */
const transaction = 21_000;
const zeroByte = 4;
const otherByte = 16;
const coldRead = 2_100;
const overwrite = 2_900;
const fill = 20_000;
const wordOfData = 32 * otherByte;
const log = (topics: number, bytes: number) => 375 + 375 * topics + 8 * bytes;

/** Selector, offsets and lengths; the lane's slot; the code around the loops. */
const fixedGas = transaction + 4 * otherByte + 4 * (3 * otherByte + 29 * zeroByte) + coldRead + 1_800;
/** Address, count, flag and set of a run; the slot of the grant; the code of a run. */
const runGas =
  20 * otherByte +
  12 * zeroByte +
  (8 * otherByte + 24 * zeroByte) +
  (otherByte + 31 * zeroByte) +
  (wordOfData + coldRead + 520);
/** The slot of the head, read; overwritten if the set exists, filled and logged if it is new. */
const standingSetGas = coldRead + overwrite;
const newSetGas = coldRead + fill + log(3, 0) + 120;
const looseObjectGas = wordOfData + log(3, 32) + 90;
const setObjectGas = wordOfData + log(4, 32) + 150;
/** Signature, nonce, fees, chain id, address and the list headers of an EIP-1559 transaction, each at its longest. */
const envelopeBytes = 256;

/** A batch without runs. */
export const emptyBatchSize: BatchSize = {
  gas: fixedGas,
  calldataBytes: fixedBytes,
  transactionBytes: fixedBytes + envelopeBytes,
};

/** What a run, its objects included, adds to a batch at most; linear in the run's count. */
export function runSize(run: Pick<Run, 'setCid' | 'newSet' | 'count'>): BatchSize {
  const bytes = runBytes + run.count * objectBytes;
  return { gas: runGas + gasOfContent(run), calldataBytes: bytes, transactionBytes: bytes };
}

/** The sum of what two parts take. */
export function addBatchSizes(a: BatchSize, b: BatchSize): BatchSize {
  return {
    gas: a.gas + b.gas,
    calldataBytes: a.calldataBytes + b.calldataBytes,
    transactionBytes: a.transactionBytes + b.transactionBytes,
  };
}

/** What a batch of these runs takes at most, when every set without `newSet` is committed and every user has granted. */
export function estimateBatchSize(runs: readonly Run[]): BatchSize {
  return runs.map(runSize).reduce(addBatchSizes, emptyBatchSize);
}

/** Whether a batch of this size fits one transaction. */
export function fitsLimits(size: BatchSize, limits: BatchLimits = transactionLimits): boolean {
  return size.gas <= limits.gas && size.transactionBytes <= limits.transactionBytes;
}

function gasOfContent({ setCid, newSet, count }: Pick<Run, 'setCid' | 'newSet' | 'count'>): number {
  if (isZeroCid(setCid)) return count * looseObjectGas;
  return (newSet ? newSetGas : standingSetGas) + count * setObjectGas;
}
