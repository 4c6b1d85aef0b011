import type { Persist } from './retry.ts';

export type FaultPolicyOptions<Item> = {
  persist: Persist;
  /** All or nothing: after a throw the same items are handed over again. */
  handle: (items: readonly Item[]) => Promise<void>;
  /** Puts an item that can never be handled aside. */
  setAside: (item: Item, error: Error) => Promise<void>;
};

/**
 * Handles items in their order, leaving none out: a fault of the surroundings is retried until it is over or the
 * signal aborts; a permanent error narrows the batch down, in halves, to the item at fault, which is set aside.
 */
export const createFaultPolicy = <Item>(options: FaultPolicyOptions<Item>) => {
  const { persist } = options;

  const setAside = async (item: Item, fault: Error, signal: AbortSignal): Promise<void> => {
    const refused = await persist(() => options.setAside(item, fault), signal);
    if (refused !== undefined) throw refused;
  };

  const process = async (items: readonly Item[], signal: AbortSignal): Promise<void> => {
    const [first] = items;
    if (first === undefined) return;
    const fault = await persist(() => options.handle(items), signal);
    if (fault === undefined) return;
    if (items.length === 1) return setAside(first, fault, signal);
    const middle = Math.ceil(items.length / 2);
    await process(items.slice(0, middle), signal);
    await process(items.slice(middle), signal);
  };

  return {
    /** Resolves when every item is handled or set aside; rejects when the signal aborts. */
    process,
    /** Sets one item aside that is known to be at fault, however long that takes. */
    setAside,
  };
};
