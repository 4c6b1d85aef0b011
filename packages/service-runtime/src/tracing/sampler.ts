import { isSampled } from './traceparent.ts';

/** The standard samplers by what they do: `always_on` and `always_off` are the ratios 1 and 0. */
export type SamplerSettings = {
  /** The caller's decision counts, where there is one. */
  readonly parentBased: boolean;
  readonly ratio: number;
};

/** The most traces per second that callers may add to the ratio: anyone can set the flag (I12). */
export const mostRequestedPerSecond = 100;

/** Decides for requests from outside. The services' work for a request follows its flag. */
export function createSampler(
  { parentBased, ratio }: SamplerSettings,
  now: () => number,
): (traceparent: string | undefined) => boolean {
  let second = 0;
  let requested = 0;
  const mayRequest = (): boolean => {
    const current = Math.floor(now() / 1000);
    if (current !== second) requested = 0;
    second = current;
    return requested++ < mostRequestedPerSecond;
  };
  return (traceparent) => {
    const isInRatio = drawOf(traceparent) < ratio;
    if (!parentBased || traceparent === undefined) return isInRatio;
    return isSampled(traceparent) && (isInRatio || mayRequest());
  };
}

/** From 0 to 1, the same for a trace everywhere. */
const drawOf = (traceparent: string | undefined): number =>
  traceparent === undefined ? Math.random() : Number.parseInt(traceparent.slice(22, 35), 16) / 2 ** 52;
