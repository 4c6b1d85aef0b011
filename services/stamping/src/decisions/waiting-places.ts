/** For late requests there are so many times the places, in which accounts have their shares as well. */
export const lateFactor = 4;

/**
 * Whether one more stamp of an account may wait, of which `own` wait already: as long as that is less than what is free. So one
 * account alone takes half of the places, two a third each, and whatever number of them floods, as much as each has is left
 * for the others (I12).
 */
export const mayWait = ({ all, taken }: { readonly all: number; readonly taken: number }, own: number): boolean =>
  own < all - taken;
