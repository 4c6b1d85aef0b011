import type { Hex } from '@indelible/identifiers';

/** What an account spent within the window, in wei. */
export type Spent = { readonly account: Hex; readonly wei: bigint };

/**
 * Whether an account may spend more of the lanes' funds: while it spent less than they have free, as `mayWait` shares
 * places. So one account alone gets half, two get a third each, and however many flood, as much as each spent is left
 * for the others (I12).
 */
export const maySpend = (spentWei: bigint, freeWei: bigint): boolean => spentWei < freeWei;

/** The accounts that have used their share. A lone account shares with nobody. */
export const accountsOverShare = (
  funds: { readonly freeWei: bigint; readonly isShared: boolean },
  spent: readonly Spent[],
): readonly Spent[] => (funds.isShared ? spent.filter(({ wei }) => !maySpend(wei, funds.freeWei)) : []);
