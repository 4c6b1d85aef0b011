import type { Hex } from '@indelible/identifiers';

/** What an account spent within the window, in wei. */
export type Spent = { readonly account: Hex; readonly wei: bigint };

/**
 * Whether an account may spend more of what lanes own: as long as it spent less than they have free, as `mayWait` shares
 * places. So one account alone takes half, two a third each, and whatever number of them floods, as much as each spent is left
 * for the others (I12).
 */
export const maySpend = (spentWei: bigint, freeWei: bigint): boolean => spentWei < freeWei;

/** The accounts that have used their share. One that is alone has nobody to share with. */
export const accountsOverShare = (
  funds: { readonly freeWei: bigint; readonly isShared: boolean },
  spent: readonly Spent[],
): readonly Spent[] => (funds.isShared ? spent.filter(({ wei }) => !maySpend(wei, funds.freeWei)) : []);
