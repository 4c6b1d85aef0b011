import { toError } from './errors.ts';
import { isMembershipFault } from './kafka-faults.ts';

export type LeaseOptions = {
  heartbeat: () => Promise<void>;
  /** Aborts when the consumer stops. */
  stopping: AbortSignal;
  intervalMs: number;
  /** Without a successful heartbeat for this long the group has given the partition to another member. */
  sessionTimeoutMs: number;
};

export type Lease = {
  /** Aborts when the consumer stops or the partition is lost. */
  readonly signal: AbortSignal;
  heartbeat(): Promise<void>;
  /** The heartbeat's error, if that lost the partition. */
  lost(): Error | undefined;
  /** Whether the partition is still ours, as far as known. */
  holds(): boolean;
  /** On a rejoin: the partition may be another member's. */
  release(): void;
  end(): void;
};

/** The right to work on a partition: it keeps the membership alive while a batch is handled, however long that takes. */
export const holdLease = (options: LeaseOptions): Lease => {
  const ended = new AbortController();
  let lost: Error | undefined;
  let lastAnswer = Date.now();

  const heartbeat = async (): Promise<void> => {
    try {
      await options.heartbeat();
      lastAnswer = Date.now();
    } catch (thrown) {
      const error = toError(thrown);
      if (!isMembershipFault(error) && Date.now() - lastAnswer < options.sessionTimeoutMs) return;
      lost ??= error;
      ended.abort(error);
    }
  };

  const timer = setInterval(() => void heartbeat(), options.intervalMs);
  return {
    signal: AbortSignal.any([options.stopping, ended.signal]),
    heartbeat,
    lost: () => lost,
    holds: () => !ended.signal.aborted,
    release: () => ended.abort(new Error('The group is joined again')),
    end: () => clearInterval(timer),
  };
};
