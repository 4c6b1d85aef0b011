export type Followed = { readonly kind: 'outcome'; readonly outcome: string } | { readonly kind: 'vanished' };

export type Follower = {
  /**
   * The holder's outcome; `vanished` if the lock ended without one (expired, Redis flushed or unavailable). Polls the
   * lock every `pollMs`. Rejects only with the signal's reason.
   */
  outcome(signal: AbortSignal, pollMs: number): Promise<Followed>;
  /** Stops following. Must always be called. */
  close(): void;
};

export type FollowerPorts = {
  /** Whether anybody holds the lock; false if unknown. */
  isHeld: () => Promise<boolean>;
  leave: () => void;
};

/** Waits for what comes first: the outcome, the loss of the channel, or the lock's disappearance. */
export const createFollower = ({ isHeld, leave }: FollowerPorts) => {
  const end = Promise.withResolvers<Followed>();

  const poll = async (): Promise<void> => {
    if (!(await isHeld())) end.resolve({ kind: 'vanished' });
  };

  const follower: Follower = {
    async outcome(signal, pollMs) {
      signal.throwIfAborted();
      const aborted = Promise.withResolvers<never>();
      const onAbort = () => aborted.reject(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      const timer = setInterval(() => void poll(), pollMs);
      try {
        return await Promise.race([end.promise, aborted.promise]);
      } finally {
        clearInterval(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
    close: leave,
  };

  return {
    follower,
    /** The first counts; later ones change nothing. */
    settle: (followed: Followed): void => end.resolve(followed),
  };
};
