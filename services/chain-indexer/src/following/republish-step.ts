import { chainOn } from '@indelible/ethereum';
import type { Logger } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import type { FollowPorts, FollowSettings } from './follow-ports.ts';
import { mostBytesUnpublished } from './follow-step.ts';
import { type Cursor, CursorMovedError } from './ports.ts';
import type { Run } from './republish-queries.ts';

/** `idle`: nothing to republish; `moved`: some was republished; `later`: not possible now. */
export type RepublishOutcome = { readonly kind: 'idle' | 'moved' | 'later'; readonly cursor: Cursor };

/** Part of the unpublished limit; live blocks get the rest. */
const shareOfUnpublished = 1 / 4;
const retryMs = 5_000;
const warnEveryMs = 60_000;

/**
 * Republishes one window at a time, between two steps, so that live blocks are not held up, whether the node has the
 * old ones or not.
 * @returns a function that throws CursorMovedError, and Postgres errors
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
 * Republishes a window of blocks for consumers with a gap (BlockAppended with the same content and new ids), in order
 * up to the cursor, then the current marks. They are read from the node again, with all checks, and must be the blocks
 * that were followed: stored headers prove this near the end, and everything below them is final. The run moves in one
 * transaction with its messages, and with the cursor's compare-and-set, so it continues after a crash, and its last
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
