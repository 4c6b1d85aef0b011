/** A running estimate of how long one kind of request takes at one endpoint, like TCP's for its time-outs. */
export type Latency = {
  add(ms: number): void;
  /** The mean, in ms; undefined before the first answer. */
  mean(): number | undefined;
  /** About the 95th percentile, in ms; undefined before the first answer. */
  usualMost(): number | undefined;
};

const weightOfMean = 1 / 8;
const weightOfDeviation = 1 / 4;

export function createLatency(): Latency {
  let mean: number | undefined;
  let deviation = 0;
  return {
    add: (ms) => {
      if (mean === undefined) {
        mean = ms;
        deviation = ms / 2;
        return;
      }
      deviation += (Math.abs(ms - mean) - deviation) * weightOfDeviation;
      mean += (ms - mean) * weightOfMean;
    },
    mean: () => mean,
    usualMost: () => (mean === undefined ? undefined : mean + 3 * deviation),
  };
}
