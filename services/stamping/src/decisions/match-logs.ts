import type { Hex } from '@indelible/identifiers';

/** What the log of a commitment and its stamp have in common. */
export type CommittedObject = {
  readonly transactionHash: Hex;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
};

/**
 * Pairs logs with the stamps of the batch of their transaction: a log is the stamp's of the same user, set and object, one
 * to one; of equal ones the first log is the first stamp's. What has no counterpart is in no pair.
 * @param logs of one block, or a part of it, in its order
 * @param items in the order of their batch, without those that have a log already
 */
export function matchLogs<Log extends CommittedObject, Item extends CommittedObject>(
  logs: readonly Log[],
  items: readonly Item[],
): readonly { readonly log: Log; readonly item: Item }[] {
  const waiting = new Map<string, Item[]>();
  // From the last to the first, so that the first is the one to pop.
  for (const item of items.toReversed()) {
    const equal = waiting.get(keyOf(item));
    if (equal === undefined) waiting.set(keyOf(item), [item]);
    else equal.push(item);
  }
  return logs.flatMap((log) => {
    const item = waiting.get(keyOf(log))?.pop();
    return item === undefined ? [] : [{ log, item }];
  });
}

const keyOf = ({ transactionHash, account, setCid, objectCid }: CommittedObject): string =>
  transactionHash + account + setCid + objectCid;
