import { type Hex, zeroCid } from '@indelible/identifiers';
import type { BlockAppended, ChainLog } from '@indelible/messages';
import { matchLogs } from './match-logs.ts';
import type { ConfirmedStamp } from './report-confirmed.ts';

/** A number of stamps, and the elapsed time. */
export type Since = { readonly seconds: number; readonly stamps: number };

/** One of our transactions, by a log of the block. */
export type OwnTransaction = {
  readonly hash: Hex;
  readonly batchId: string;
  /** Whether its batch waits for a block or is in one that is not final: the others are settled. */
  readonly isOpen: boolean;
  /** W3C trace context of a batch not yet in a block. */
  readonly traceparent: string | null;
  /** In ms since 1970. */
  readonly signedAt: number;
  readonly secondsSinceSigned: number;
};

/** A stamp of one of these transactions that waits for a block. */
export type StampOfBlock = Omit<ConfirmedStamp, 'receipt'> & {
  readonly transactionHash: Hex;
  /** Its place in its batch, from 0. */
  readonly batchIndex: number;
  readonly collectionId: number | null;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
};

export type BlockFacts = {
  readonly transactions: readonly OwnTransaction[];
  /** In batch order. */
  readonly stamps: readonly StampOfBlock[];
  /** Logs that already belong to stamps: after a restore, their block may be read again. */
  readonly recordedLogs: readonly number[];
};

/** A stamp and the log that recorded it. */
type StampPlace = {
  readonly stampId: string;
  readonly batchId: string;
  readonly batchIndex: number;
  readonly transactionHash: Hex;
  readonly logIndex: number;
};

export type BlockPlan = {
  readonly block: BlockAppended;
  /** Batches in the block. */
  readonly batchIds: readonly string[];
  readonly stamps: readonly StampPlace[];
  /** The stamps that the block itself confirms: all or none. */
  readonly confirmed: readonly ConfirmedStamp[];
  /** AddSets of any transaction: a collection is created once its owner has the set. */
  readonly sets: readonly ChainLog[];
  /**
   * Collections of these stamps without an AddSet: their sets were on the chain already, or the contract refused them.
   */
  readonly standing: readonly { readonly collectionId: number; readonly transactionHash: Hex }[];
  /** Who granted or revoked the operator's right; a user's last log counts. */
  readonly delegations: ReadonlyMap<Hex, 'grant' | 'revoke'>;
  /** Batches with a trace, in a block for the first time. */
  readonly traced: readonly (OwnTransaction & { readonly traceparent: string })[];
  /** Time since the batches were signed, one value per batch. */
  readonly included: readonly Since[];
  /** Object logs of our own transactions without a stamp: must never happen, and must never be ignored. */
  readonly unmatched: string | undefined;
};

/**
 * What a block, or a part of it, changes (I1). A log belongs to the stamp of the same user, set and object in its
 * transaction's batch, one to one, in order; any version of a batch's transaction counts.
 * @param confirms whether inclusion in a block confirms a stamp
 */
export function planBlock(
  block: BlockAppended,
  { transactions, stamps, recordedLogs }: BlockFacts,
  { operator, confirms }: { readonly operator: Hex; readonly confirms: boolean },
): BlockPlan {
  const ours = new Set(transactions.map(({ hash }) => hash));
  const logs = block.logs.filter(({ kind, transactionHash }) => kind === 'object' && ours.has(transactionHash));
  const sets = block.logs.filter(({ kind, setCid }) => kind === 'set' && setCid !== undefined);
  const pairs = oncePerStamp(matchLogs(logs.map(placeOf), withCollections(stamps, sets, block.number)));
  const recorded = new Set(recordedLogs);
  const matched = pairs.length + logs.filter(({ logIndex }) => recorded.has(logIndex)).length;
  const { number, hash, time, chainId } = block;
  return {
    block,
    batchIds: [...new Set(transactions.flatMap(({ isOpen, batchId }) => (isOpen ? [batchId] : [])))],
    stamps: pairs.map(({ log: { transactionHash, logIndex }, item: { stampId, batchId, batchIndex } }) => ({
      ...{ stampId, batchId, batchIndex, transactionHash, logIndex },
    })),
    confirmed: confirms
      ? pairs.map(({ log, item }) =>
          confirmedBy(item, { ...log, blockNumber: number, blockHash: hash, blockTime: time, chainId }),
        )
      : [],
    sets,
    standing: standingOf(pairs.map(({ item }) => item)),
    delegations: delegationsOf(block, operator),
    traced: transactions.flatMap((one) => (one.traceparent === null ? [] : [{ ...one, traceparent: one.traceparent }])),
    included: sinceSigned(
      transactions,
      pairs.map(({ item }) => item),
    ),
    unmatched:
      matched === logs.length
        ? undefined
        : `block ${number} part ${block.part}: ${logs.length} logs, ${matched} stamps`,
  };
}

/** The stamps, with the block set where its AddSets record their collections. */
function withCollections(
  stamps: readonly StampOfBlock[],
  sets: readonly ChainLog[],
  block: number,
): readonly StampOfBlock[] {
  if (sets.length === 0) return stamps;
  const recorded = new Set(sets.map(({ user, setCid }) => `${user} ${setCid}`));
  return stamps.map((stamp) =>
    stamp.collectionId !== null && stamp.collectionBlock === null && recorded.has(`${stamp.account} ${stamp.setCid}`)
      ? { ...stamp, collectionBlock: block }
      : stamp,
  );
}

function placeOf(log: ChainLog) {
  const { transactionHash, logIndex, user: account, setCid = zeroCid, objectCid } = log;
  if (objectCid === undefined) throw new Error(`log ${logIndex} of ${transactionHash} names no object`);
  return { transactionHash, logIndex, account, setCid, objectCid };
}

/** A stamp has one log, in however many batches (I2). */
function oncePerStamp<Pair extends { readonly item: StampOfBlock }>(pairs: readonly Pair[]): readonly Pair[] {
  const seen = new Set<string>();
  return pairs.filter(({ item: { stampId } }) => {
    const isFirst = !seen.has(stampId);
    seen.add(stampId);
    return isFirst;
  });
}

function confirmedBy(stamp: StampOfBlock, receipt: ConfirmedStamp['receipt']): ConfirmedStamp {
  const { stampId, version, collectionName, collectionBlock, content, replyTo, requestId } = stamp;
  const { traceparent, clientRef, batchId, requestedAt } = stamp;
  return {
    ...{ stampId, version: version + 1, receipt, collectionName, collectionBlock, content, replyTo, requestId },
    ...{ traceparent, clientRef, batchId, requestedAt },
  };
}

function standingOf(stamps: readonly StampOfBlock[]): BlockPlan['standing'] {
  const standing = new Map<number, { collectionId: number; transactionHash: Hex }>();
  for (const { collectionId, collectionBlock, transactionHash } of stamps)
    if (collectionId !== null && collectionBlock === null)
      standing.set(collectionId, { collectionId, transactionHash });
  return [...standing.values()];
}

function delegationsOf({ logs }: BlockAppended, operator: Hex): BlockPlan['delegations'] {
  const last = new Map<Hex, 'grant' | 'revoke'>();
  for (const { kind, delegate, user } of logs)
    if ((kind === 'grant' || kind === 'revoke') && delegate === operator) last.set(user, kind);
  return last;
}

function sinceSigned(transactions: readonly OwnTransaction[], stamps: readonly StampOfBlock[]): readonly Since[] {
  const counts = new Map<string, number>();
  for (const { batchId } of stamps) counts.set(batchId, (counts.get(batchId) ?? 0) + 1);
  return transactions.flatMap(({ batchId, secondsSinceSigned: seconds }) => {
    const count = counts.get(batchId);
    return count === undefined ? [] : [{ seconds, stamps: count }];
  });
}
