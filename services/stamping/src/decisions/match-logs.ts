import type { Hex } from '@indelible/identifiers';

/** The fields that a commitment's log and its stamp share. */
export type CommittedObject = {
  readonly transactionHash: Hex;
  readonly account: Hex;
  readonly setCid: Hex;
  readonly objectCid: Hex;
};

/**
 * Pairs logs with the stamps of their transaction's batch, one to one, by user, set and object; among equal ones the
 * first log gets the first stamp. Logs and stamps without a counterpart are left out.
 * @param logs of one block, or a part of it, in its order
 * @param items in batch order, without those that have a log already
 */
export function matchLogs<Log extends CommittedObject, Item extends CommittedObject>(
  logs: readonly Log[],
  items: readonly Item[],
): readonly { readonly log: Log; readonly item: Item }[] {
  const waiting = new Map<string, Item[]>();
  // In reverse, so that pop returns the first.
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
