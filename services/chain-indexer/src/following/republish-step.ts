import { chainOn } from '../decisions/headers.ts';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import type { Cursor } from './ports.ts';

/** `idle`: nothing is to be published again; `moved`: some was; `later`: the node's blocks are not ours at the moment. */
export type RepublishOutcome = { readonly kind: 'idle' | 'moved' | 'later'; readonly cursor: Cursor };

/**
 * Publishes a window of blocks again, for consumers that have a gap (BlockAppended with the same content and other ids), in
 * order up to the cursor, then the current marks. They are read from the node again, with all checks, and must be the blocks
 * that were followed: our kept headers say so near the end, and what is below them is final. The run moves in one
 * transaction with its messages, and with the cursor's compare-and-set, so that it continues after a crash, and its last
 * block is the cursor's.
 */
export async function republishStep(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
): Promise<RepublishOutcome> {
  const { chain, store, observer } = ports;
  const run = await store.run();
  if (run === undefined) return { kind: 'idle', cursor };
  const numbers = Array.from(
    { length: Math.max(0, Math.min(settings.window, cursor.number - run.next + 1)) },
    (_, i) => run.next + i,
  );
  const headers = numbers.length === 0 ? [] : await chain.headers(numbers);
  const own = await Promise.all(headers.map(({ number }) => store.hashAt(number)));
  const parent = await store.hashAt(run.next - 1);
  const [first] = headers;
  const known = headers.every(({ hash }, i) => (own[i] ?? hash) === hash);
  const chained =
    first === undefined ? [] : chainOn({ number: run.next - 1, hash: parent ?? first.parentHash }, headers);
  if (!known || chained.length < numbers.length) return { kind: 'later', cursor };
  const blocks = await chain.withLogs(chained);
  const next = (blocks.at(-1)?.number ?? run.next - 1) + 1;
  const done = next > cursor.number;
  const moved = await store.republish(cursor, run, blocks, { next, done });
  observer.republished(blocks, done);
  return { kind: 'moved', cursor: moved };
}
