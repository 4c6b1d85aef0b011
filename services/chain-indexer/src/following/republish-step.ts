import { chainOn } from '@indelible/ethereum';
import type { Logger } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import { mostBytesUnpublished } from './follow-step.ts';
import { type Cursor, CursorMovedError } from './ports.ts';
import type { Run } from './republish-queries.ts';

/** `idle`: nothing is to be published again; `moved`: some was; `later`: not possible at the moment. */
export type RepublishOutcome = { readonly kind: 'idle' | 'moved' | 'later'; readonly cursor: Cursor };

/** Of what may wait to be published, this leaves most to live blocks. */
const shareOfUnpublished = 1 / 4;
const retryMs = 5_000;
const warnEveryMs = 60_000;

/**
 * One window at a time, between two steps: live blocks are not held up by those that are published again, whether the node
 * has them or not.
 * @returns a function that throws CursorMovedError, and what Postgres throws
 */
export function createRepublisher(
  ports: FollowPorts,
  settings: FollowSettings,
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): (cursor: Cursor) => Promise<RepublishOutcome> {
  let retryAt = Number.NEGATIVE_INFINITY;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const failed = (run: Run, error?: unknown): void => {
    retryAt = performance.now() + retryMs;
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    logger.warn({ number: run.next, err: error }, 'Blocks to be published again cannot be read; trying again');
  };
  return async (cursor) => {
    if (performance.now() < retryAt) return { kind: 'idle', cursor };
    const run = await ports.store.run();
    if (run === undefined) return { kind: 'idle', cursor };
    const { messages, bytes } = await ports.store.unpublished();
    if (messages >= shareOfUnpublished * settings.maxUnpublished || bytes >= shareOfUnpublished * mostBytesUnpublished)
      return { kind: 'later', cursor };
    try {
      const outcome = await republishStep(ports, settings, cursor, run);
      if (outcome.kind === 'later') failed(run);
      return outcome;
    } catch (error) {
      if (signal.aborted || error instanceof CursorMovedError) throw error;
      failed(run, error);
      return { kind: 'idle', cursor };
    }
  };
}

/**
 * Publishes a window of blocks again, for consumers that have a gap (BlockAppended with the same content and other ids), in
 * order up to the cursor, then the current marks. They are read from the node again, with all checks, and must be the blocks
 * that were followed: our kept headers say so near the end, and what is below them is final. The run moves in one
 * transaction with its messages, and with the cursor's compare-and-set, so that it continues after a crash, and its last
 * block is the cursor's.
 */
async function republishStep(
  ports: FollowPorts,
  settings: FollowSettings,
  cursor: Cursor,
  run: Run,
): Promise<RepublishOutcome> {
  const { chain, store, observer } = ports;
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
  failpoint('chain-indexer.blocks-republished');
  observer.republished(blocks, done);
  return { kind: 'moved', cursor: moved };
}
