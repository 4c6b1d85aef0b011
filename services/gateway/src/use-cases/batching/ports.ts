import type { Hex } from '@indelible/identifiers';
import type { DailyQuota } from '../../limits/daily-quotas.ts';
import type { RequestTrace } from '../../request-trace.ts';
import type { CollectionLookup } from '../collections/collection-lookup.ts';
import type { CommandPorts } from '../commands/submit-and-await.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';
import type { StatusPoller } from '../stamping/status-poller.ts';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import type { LineWindow } from './line-window.ts';
import type { BatchObservations } from './observations.ts';

/** What batches need of the service. */
export type BatchPorts = CommandPorts & {
  readonly instanceId: string;
  readonly poller: Pick<StatusPoller, 'watch'>;
  /** One place for each group of lines submitted together, with their wait limit. */
  readonly waitingRoom: Pick<WaitingRoom, 'enter'>;
  readonly stampQuota: Pick<DailyQuota, 'takeSome' | 'give' | 'refuse'>;
  readonly collections: CollectionLookup;
  readonly newestBlocks: Pick<NewestBlocks, 'note'>;
  readonly window: LineWindow;
  readonly observations: BatchObservations;
  /** Of the waiting room; also how long a group waits for a busy publisher. */
  readonly waitLimitMs: number;
  readonly now: () => number;
};

export type BatchRequest = {
  readonly account: Hex;
  readonly windowSeconds: number;
  readonly maxLines: number;
  /**
   * The body as it arrives; its errors end the response.
   * @param rests whether the client waits for the service and need not send
   */
  readonly body: (rests: () => boolean) => AsyncIterable<Buffer>;
  /** Takes up to `wanted` lines from the key's rate, at least one; waits until that is possible. */
  readonly allow: (wanted: number, signal: AbortSignal) => Promise<number>;
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal;
  readonly trace: RequestTrace;
};
