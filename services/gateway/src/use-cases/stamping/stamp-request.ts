import type { Hex } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import { RequestStamp } from '@indelible/messages';
import type { ResolvedTarget } from '../../decisions/target-set.ts';
import type { RequestTrace } from '../../request-trace.ts';
import type { ReceivedContent } from './content.ts';

export type StampRequest = {
  readonly account: Hex;
  readonly objectCid: Hex;
  readonly target: ResolvedTarget;
  readonly idempotency: { readonly windowSeconds: number } | null;
  /** Content to store, and its name. */
  readonly content: { readonly received: ReceivedContent; readonly fileName: string } | undefined;
  readonly respondAsync: boolean;
  /** Calls `ended` when the client disconnects: the stamp continues, the wait ends. */
  readonly onGone?: (ended: () => void) => void;
  readonly trace: RequestTrace;
  /** Set when the request is one of several attempts under an idempotency key. */
  readonly attempt?: KeyedAttempt;
};

/** One of possibly several attempts at a request: all make the same command. */
export type KeyedAttempt = {
  readonly commandId: string;
  /** An earlier attempt may have published the command. */
  readonly resumed: boolean;
  /** Ends the wait. The caller has its place in the waiting room. */
  readonly signal: AbortSignal;
};

/** The command for one stamp, of a request or of a line of a batch. */
export function requestStamp(
  { account, objectCid, target, idempotency }: Pick<StampRequest, 'account' | 'objectCid' | 'target' | 'idempotency'>,
  own: Pick<RequestStamp, 'requestId' | 'requestedAt' | 'replyTo' | 'content' | 'awaits' | 'clientRef'>,
  trace: StampRequest['trace'],
): OutgoingMessage<typeof RequestStamp> {
  const data = { account, objectCid, set: target.set, setCidHint: target.setCid, idempotency, ...own };
  return outgoing(RequestStamp, data, { id: own.requestId, time: own.requestedAt, ...trace });
}
