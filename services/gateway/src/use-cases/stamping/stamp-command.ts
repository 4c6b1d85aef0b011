import { newId } from '@indelible/identifiers';
import type { OutgoingMessage } from '@indelible/kafka';
import type { RequestStamp, StagedContent, StampFacts } from '@indelible/messages';
import { failpoint, UnavailableError } from '@indelible/service-runtime';
import { viewOf } from '../../decisions/stamp-view.ts';
import {
  type AwaitedStamp,
  applyStatus,
  type SeenStamp,
  untilConfirmed,
  untilDecided,
  type Waiting,
} from '../../decisions/wait-for-stamp.ts';
import type { DailyQuota, Taken } from '../../limits/daily-quotas.ts';
import { createPatience } from '../../limits/patience.ts';
import type { Command } from '../commands/submit-and-await.ts';
import type { ReceivedContent } from './content.ts';
import { createDeadlines, type Deadlines } from './deadlines.ts';
import { requestStamp, type StampRequest } from './stamp-request.ts';
import type { StatusPoller } from './status-poller.ts';

export type StampCommandPorts = {
  readonly instanceId: string;
  readonly poller: Pick<StatusPoller, 'watch'>;
  readonly stampQuota: Pick<DailyQuota, 'take' | 'give'>;
  /** Stamping's facts on a request of any account, without storage. @throws UnavailableError */
  readonly factsOf: (id: string) => Promise<StampFacts | undefined>;
  readonly now: () => number;
};

/** How long a 202 waits to learn whether it joins or repeats a stamp; its status resource shows this later anyway. */
const decisions = createDeadlines(5_000);
/**
 * How long a 202 waits for the status of the stamp that it joined, which its status resource also shows later; and a
 * resumed attempt for that of its command, which may be published again.
 */
export const statusLimitMs = 1_000;

/** The command of one request, and how far its publishing is. */
export class StampCommand implements Command<Waiting, SeenStamp, AwaitedStamp> {
  readonly request: StampRequest;
  readonly requestId: string;
  readonly requestedAt: string;
  readonly content: ReceivedContent | undefined;
  state: Waiting;
  mayBePublished = false;
  /** Whether it counts towards its account's quota. */
  isCounted = false;
  readonly #ports: StampCommandPorts;

  constructor(ports: StampCommandPorts, request: StampRequest) {
    this.request = request;
    this.requestId = request.attempt?.commandId ?? newId();
    this.requestedAt = new Date(ports.now()).toISOString();
    this.content = request.content?.received;
    this.state = {
      requestId: this.requestId,
      bringsContent: request.content !== undefined,
      namesCollection: request.target.set.kind === 'named',
    };
    this.#ports = ports;
  }
  get rules(): typeof untilConfirmed {
    return this.request.respondAsync ? untilDecided : untilConfirmed;
  }
  get within(): Deadlines | undefined {
    return this.request.respondAsync ? decisions : undefined;
  }
  get published() {
    return 'gateway.command-published' as const;
  }
  watchStatus(onStatus: (stamp: SeenStamp) => void): () => void {
    return this.#ports.poller.watch(this.requestId, onStatus);
  }
  /** Most need not wait. @throws HttpError 429; retryable errors of the blob store */
  prepare(): OutgoingMessage | Promise<OutgoingMessage | undefined> {
    const { request } = this;
    if (request.attempt?.resumed === true) return this.#prepareAgain();
    const counting = this.#ports.stampQuota.take(request.account, 1);
    if (counting !== undefined || request.content !== undefined) return this.#prepareCounted(counting);
    this.isCounted = true;
    return this.#message(null);
  }
  async #prepareAgain(): Promise<OutgoingMessage | undefined> {
    const earlier = await this.#seeEarlier();
    if (earlier === undefined) return this.#prepareCounted(this.#ports.stampQuota.take(this.request.account, 1));
    this.state = earlier;
    return undefined;
  }
  /** Once counted, and its content durable. */
  async #prepareCounted(counting: Promise<Taken> | undefined): Promise<OutgoingMessage> {
    this.isCounted = counting === undefined || (await counting).isCounted;
    const { content: brought } = this.request;
    if (brought === undefined) return this.#message(null);
    const content = await brought.received.keep(brought.fileName);
    failpoint('gateway.content-staged');
    return this.#message(content);
  }
  /**
   * The state of an earlier attempt's command. If stamping knows it, it was published: nothing is published again, and
   * the new content is not needed; the poller finds its file. While stamping does not respond, the same command is
   * published again, which takes effect once (I5).
   */
  async #seeEarlier(): Promise<Waiting | undefined> {
    const facts = await whereKnown(createPatience(statusLimitMs)(() => this.#ports.factsOf(this.requestId)));
    return facts?.account === this.request.account ? applyStatus(this.state, viewOf(facts, undefined)) : undefined;
  }
  #message(content: StagedContent | null): OutgoingMessage<typeof RequestStamp> {
    failpoint('gateway.command-due');
    const { request, requestId, requestedAt } = this;
    const awaits = request.respondAsync ? 'decision' : 'outcome';
    const replyTo = this.#ports.instanceId;
    return requestStamp(request, { requestId, requestedAt, replyTo, content, awaits, clientRef: null }, request.trace);
  }
}

/** Also undefined while unknown. */
export async function whereKnown<Known>(known: Promise<Known>): Promise<Known | undefined> {
  try {
    return await known;
  } catch (error) {
    if (error instanceof UnavailableError) return undefined;
    throw error;
  }
}
