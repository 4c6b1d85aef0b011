import { type Logger, together } from '@indelible/service-runtime';
import type { Redis } from 'ioredis';
import { boundedOr } from '../bounded.ts';
import { closeRedis, createSubscriber, defaultCommandTimeoutMs } from '../create-redis.ts';
import { untilReady } from '../until-ready.ts';
import { type Channels, createChannels, type Listener } from './channels.ts';
import { createFollower, type Follower } from './follower.ts';
import { createLiveness, instanceOf } from './liveness.ts';
import { acquireScript, extendScript, releaseScript } from './scripts.ts';

const identitiesOf = (requests: readonly { readonly identity: string }[]): string[] =>
  requests.map(({ identity }) => identity);

export type IdentityLocksOptions = {
  /** Used for commands; subscriptions use a separate connection with the same settings. */
  redis: Redis;
  keyPrefix: string;
  logger: Logger;
  /** Longer than a request waits for its outcome; locks of dead processes are freed sooner. Default 30,000 ms. */
  ttlMs?: number;
  /** Redis counts as unavailable if a command takes longer. */
  commandTimeoutMs?: number;
};

/**
 * Lets one of many equal requests go ahead. A hint that saves work, never a decision: Postgres ensures I2, so a caller
 * that gets `unavailable` or `vanished` also goes ahead.
 */
export type IdentityLocks = {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** `acquired` also if the holder already has it. `unavailable`: no Redis. */
  acquire(identity: string, holder: string): Promise<'acquired' | 'held' | 'unavailable'>;
  /** False: no longer the holder's, or Redis is unavailable. */
  extend(identity: string, holder: string): Promise<boolean>;
  /** Frees the lock and sends the followers the outcome (JSON, at most 16 KiB), if it is still the holder's. Never rejects. */
  release(identity: string, holder: string, outcome: string): Promise<void>;
  /** Follows the holder of the lock. Never rejects. */
  follow(identity: string): Promise<Follower>;
};

const startPatienceMs = 1000;
const maxOutcomeBytes = 16 * 1024;

export const createIdentityLocks = (options: IdentityLocksOptions): IdentityLocks => {
  const { redis, keyPrefix, logger } = options;
  const { commandTimeoutMs = defaultCommandTimeoutMs } = options;
  const ttlMs = String(options.ttlMs ?? 30_000);
  const keyOf = (identity: string) => `${keyPrefix}identity-lock:${identity}`;
  const channelOf = (identity: string) => `${keyPrefix}identity-outcome:${identity}`;
  const checks = new Map<string, Promise<boolean>>();
  const liveness = createLiveness(redis, keyPrefix, commandTimeoutMs);
  const holderOf = (holder: string) => `${liveness.instance}/${holder}`;
  let subscriber: Redis | undefined;
  let channels: Channels | undefined;

  const run = (script: string, identities: readonly string[], values: readonly string[]): Promise<unknown> =>
    boundedOr(redis.eval(script, identities.length, ...identities.map(keyOf), ...values), undefined, commandTimeoutMs);

  type Acquiring = { readonly identity: string; readonly holder: string; readonly dead: string };
  /** 1, the holder, or undefined: no Redis. */
  const tryAcquire = together(async (requests: readonly Acquiring[]): Promise<readonly unknown[]> => {
    const values = requests.flatMap(({ holder, dead }) => [holder, dead]);
    const answers = await run(acquireScript, identitiesOf(requests), [ttlMs, ...values]);
    return Array.isArray(answers) ? answers : [];
  });

  type Releasing = { readonly identity: string; readonly holder: string; readonly outcome: string };
  const tryRelease = together(async (requests: readonly Releasing[]): Promise<readonly unknown[]> => {
    const values = requests.flatMap(({ identity, holder, outcome }) => [holder, channelOf(identity), outcome]);
    await run(releaseScript, identitiesOf(requests), values);
    return [];
  });

  const check = async (identity: string): Promise<boolean> => {
    const holder = await boundedOr(redis.get(keyOf(identity)), null, commandTimeoutMs);
    if (holder !== null && (await liveness.isAlive(instanceOf(holder)))) return true;
    // The server frees the lock and sends the outcome in one step, but on two connections.
    await channels?.caughtUp();
    return false;
  };

  /** Followers of one identity share a check of its lock. */
  const isHeld = (identity: string): Promise<boolean> => {
    let running = checks.get(identity);
    if (running === undefined) {
      running = check(identity).finally(() => checks.delete(identity));
      checks.set(identity, running);
    }
    return running;
  };

  return {
    async start() {
      subscriber = createSubscriber(redis, { name: 'identity-locks' });
      channels = createChannels(subscriber);
      await untilReady(subscriber, startPatienceMs);
      await liveness.start();
    },
    async stop() {
      await liveness.stop();
      if (subscriber !== undefined) await closeRedis(subscriber);
    },
    async acquire(identity, holder) {
      const own = holderOf(holder);
      let answer = await tryAcquire({ identity, holder: own, dead: '' });
      if (typeof answer === 'string' && !(await liveness.isAlive(instanceOf(answer))))
        answer = await tryAcquire({ identity, holder: own, dead: answer });
      if (answer === undefined) return 'unavailable';
      return answer === 1 ? 'acquired' : 'held';
    },
    async extend(identity, holder) {
      return (await run(extendScript, [identity], [holderOf(holder), ttlMs])) === 1;
    },
    async release(identity, holder, outcome) {
      const bounded = Buffer.byteLength(outcome) <= maxOutcomeBytes;
      // Too long an outcome is not sent: the followers then find no lock and go ahead.
      if (!bounded) logger.warn({ bytes: Buffer.byteLength(outcome) }, 'Outcome too long to send');
      await tryRelease({ identity, holder: holderOf(holder), outcome: bounded ? outcome : '' });
    },
    async follow(identity) {
      const channel = channelOf(identity);
      const { follower, settle } = createFollower({
        isHeld: () => isHeld(identity),
        leave: () => channels?.leave(channel, listener),
      });
      const listener: Listener = {
        onMessage: (outcome) => settle(outcome === '' ? { kind: 'vanished' } : { kind: 'outcome', outcome }),
        onLost: () => settle({ kind: 'vanished' }),
      };
      const hears = (await channels?.listen(channel, listener)) ?? false;
      // Released before the subscription: its outcome will not come. An earlier check may not know of it.
      if (!hears || !(await check(identity))) settle({ kind: 'vanished' });
      return follower;
    },
  };
};
