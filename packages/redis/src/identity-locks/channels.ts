import type { Redis } from 'ioredis';
import { boundedOr } from '../bounded.ts';

export type Listener = {
  readonly onMessage: (message: string) => void;
  /** Messages may have been missed since the listener came. */
  readonly onLost: () => void;
};

type Channel = { readonly listeners: Set<Listener>; readonly subscribed: Promise<boolean> };

const subscribeTimeoutMs = 250;

/** The channels this process listens to: one subscription each, however many listen. */
export const createChannels = (subscriber: Redis) => {
  const channels = new Map<string, Channel>();

  subscriber.on('message', (name: string, message: string) => {
    for (const listener of channels.get(name)?.listeners ?? []) listener.onMessage(message);
  });
  /** The next listener resubscribes. */
  const lose = (name: string, channel: Channel) => {
    if (channels.get(name) === channel) channels.delete(name);
    for (const listener of channel.listeners) listener.onLost();
  };
  subscriber.on('close', () => {
    for (const [name, channel] of [...channels]) lose(name, channel);
  });

  const subscribe = async (name: string): Promise<boolean> => {
    const command = subscriber.subscribe(name).then(() => true);
    return boundedOr(command, false, subscribeTimeoutMs);
  };

  return {
    /** Resolves with whether the listener is now subscribed. */
    async listen(name: string, listener: Listener): Promise<boolean> {
      let channel = channels.get(name);
      if (channel === undefined) {
        channel = { listeners: new Set(), subscribed: subscribe(name) };
        channels.set(name, channel);
      }
      channel.listeners.add(listener);
      if (!(await channel.subscribed)) lose(name, channel);
      return channels.get(name) === channel;
    },
    leave(name: string, listener: Listener): void {
      const channel = channels.get(name);
      if (channel === undefined || !channel.listeners.delete(listener) || channel.listeners.size > 0) return;
      channels.delete(name);
      // A connection keeps its commands in order: a new listener resubscribes after this.
      subscriber.unsubscribe(name).catch(() => undefined);
    },
    /** If true, every message published before the call has been delivered to its listeners. */
    async caughtUp(): Promise<boolean> {
      return boundedOr(
        subscriber.ping().then(() => true),
        false,
        subscribeTimeoutMs,
      );
    },
  };
};

export type Channels = ReturnType<typeof createChannels>;
