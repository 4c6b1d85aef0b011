export type WaitingPlaces = { readonly all: number; readonly taken: number };

/**
 * Whether one more stamp of an account may wait, of which `own` wait already: as long as that is less than what is free. So one
 * account alone takes half of the places, two a third each, and whatever number of them floods, as much as each has is left
 * for the others (I12).
 */
export const mayWait = ({ all, taken }: WaitingPlaces, own: number): boolean => own < all - taken;
