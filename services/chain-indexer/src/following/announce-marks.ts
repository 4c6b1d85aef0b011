import { announcesFinality, looksAtFinality } from '../decisions/finality.ts';
import type { Place } from '../decisions/headers.ts';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import type { Cursor, Mark } from './ports.ts';

/**
 * Announces what has become final, and safe where that is followed.
 * @param before where the cursor was at the last call
 * @param catchingUp blocks with logs are announced in strides then, as others always are
 */
export async function announceMarks(
  ports: FollowPorts,
  settings: FollowSettings,
  before: number,
  cursor: Cursor,
  catchingUp: boolean,
): Promise<Cursor> {
  const { finalityStride: stride, finality } = settings;
  const active = catchingUp ? undefined : cursor.firstActive;
  const unsafe = catchingUp ? undefined : cursor.firstUnsafe;
  let at = cursor;
  if (looksAtFinality(before, cursor.number, cursor.finalized, active, stride)) {
    const place =
      finality.kind === 'tag' ? await markedBlock(ports, 'finalized', at) : await below(ports, at, finality.depth);
    if (place !== undefined && announcesFinality(place.number, at.finalized, active, stride))
      at = await announce(ports, at, 'finalized', place);
  }
  if (settings.safe && looksAtFinality(before, at.number, at.safe, unsafe, stride)) {
    const place = await markedBlock(ports, 'safe', at);
    if (place !== undefined && announcesFinality(place.number, at.safe, unsafe, stride))
      at = await announce(ports, at, 'safe', place);
  }
  return at;
}

async function announce(ports: FollowPorts, cursor: Cursor, mark: Mark, place: Place): Promise<Cursor> {
  const next = await ports.store.mark(cursor, mark, place);
  ports.observer.marked(mark, place, next);
  return next;
}

/** Our block with the node's mark; undefined if it is not ours: the next step sees a fork. */
async function markedBlock(ports: FollowPorts, mark: Mark, cursor: Cursor): Promise<Place | undefined> {
  const marked = await ports.chain.marked(mark);
  if (marked === undefined) return undefined;
  if (marked.number <= cursor.number)
    return (await ports.store.hashAt(marked.number)) === marked.hash ? marked : undefined;
  // All we read is below that block, if it is on the same chain: the node must still have our cursor.
  const [header] = await ports.chain.headers([cursor.number]);
  return header?.hash === cursor.hash ? { number: cursor.number, hash: cursor.hash } : undefined;
}

async function below(ports: FollowPorts, cursor: Cursor, depth: number): Promise<Place | undefined> {
  const number = cursor.number - depth;
  const hash = number < 0 ? undefined : await ports.store.hashAt(number);
  return hash === undefined ? undefined : { number, hash };
}
