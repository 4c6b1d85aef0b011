import { collectEagerly } from '@indelible/service-runtime';

/** Bytes from which on a list is large. */
const largeBytes = 2 ** 20;
/** A list that rests for so long costs the process nothing. */
const restMs = 1_000;

/**
 * Has the old generation collected eagerly while a large list passes: for a moment after each MiB of it, so that a list which passes
 * slowly, or is only said to be large, does not slow the process down for everybody (docs/hot-path.md, Memory or time).
 */
export function collectWhilePassing(hold: () => () => void = collectEagerly, pauseMs = restMs) {
  let passed = 0;
  let release: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  function end(): void {
    clearTimeout(timer);
    release?.();
    release = undefined;
  }
  return {
    passed(bytes: number): void {
      passed += bytes;
      if (passed < largeBytes) return;
      passed = 0;
      release ??= hold();
      clearTimeout(timer);
      timer = setTimeout(end, pauseMs).unref();
    },
    end,
  };
}
