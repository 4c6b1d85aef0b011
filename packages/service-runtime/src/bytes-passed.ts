import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Rare enough that 4 MiB requests of an upload to GCS are done by then: what two collections find in use stays until a
 * full one.
 */
const collectedEvery = 16 * 1024 * 1024;

let sinceCollected = 0;
let collect: ((options: { readonly type: 'minor' }) => void) | undefined;

/**
 * Counts buffers that stream through the process and are dropped: their memory is collected every 16 MiB, so that a
 * body of any size needs little memory, however large the young generation may become. It costs as much as any such
 * collection, and the next buffers reuse cached memory (docs/hot-path.md, Memory or time).
 */
export function bytesPassed(bytes: number): void {
  sinceCollected += bytes;
  if (sinceCollected < collectedEvery) return;
  sinceCollected = 0;
  collect ??= collectorOf();
  collect({ type: 'minor' });
}

/** V8's own, which only a context created under the flag has. */
function collectorOf(): (options: { readonly type: 'minor' }) => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof gc !== 'function') throw new Error('V8 gives no way to collect the young generation');
  return gc as (options: { readonly type: 'minor' }) => void;
}
