/**
 * Whether to announce a newly final block: at once when it makes a block with logs final, otherwise only in strides,
 * since each announcement costs every reader a message and a transaction.
 * @param candidate the highest final block now
 * @param announced the highest announced one
 * @param firstActive the lowest block with logs above the announced
 * @param stride blocks that may become final without an announcement
 */
export function announcesFinality(
  candidate: number,
  announced: number,
  firstActive: number | undefined,
  stride: number,
): boolean {
  if (candidate <= announced) return false;
  return candidate - announced >= stride || (firstActive !== undefined && firstActive <= candidate);
}

/**
 * Whether finality is looked at, so that not each block needs a request to the node: always while a block with logs is
 * not final, else once a stride of the head.
 * @param before the head at the last call
 */
export function looksAtFinality(
  before: number,
  head: number,
  announced: number,
  firstActive: number | undefined,
  stride: number,
): boolean {
  if (firstActive !== undefined) return true;
  return Math.floor((head - announced) / stride) > Math.floor((before - announced) / stride);
}
