import type { Hex } from '@indelible/identifiers';
import type { EventStream } from '../events/event-stream.ts';
import type { StreamPlace } from '../events/open-streams.ts';
import type { Patience } from '../limits/patience.ts';
import type { ContentType } from './content-type.ts';

/** An authenticated request as an operation sees it; nothing of the server's own. */
export type Call = {
  readonly account: Hex;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The value of a JSON body that fits the document; undefined for other bodies, and for an operation that streams. */
  readonly json: unknown;
  /** The type of the body, one of the operation's; undefined when it takes none. */
  readonly contentType: ContentType | undefined;
  header(name: string): string | undefined;
  /** @throws HttpError 400 naming the header when it is given twice */
  singleHeader(name: string): string | undefined;
  /**
   * The body's bytes as they come.
   * @param rests whether the client waits for us just now: its rate does not count then
   * @throws HttpError 413, 408; ClientGoneError
   */
  body(maxBytes: number, rests?: () => boolean): AsyncIterable<Buffer>;
  /** Takes as many of `wanted` stamps as the key's rate allows now, one at least; waits for that. */
  allow(wanted: number, signal: AbortSignal): Promise<number>;
  /** Bytes that the body announces: undefined when it comes in chunks. */
  readonly bodyBytes: number | undefined;
  /** Counts bytes that are held until the answer. @throws HttpError 503 when the account has its share of the memory */
  hold(bytes: number): void;
  /** The body as a whole; its bytes are counted. @throws as `body` and `hold` */
  wholeBody(maxBytes: number): Promise<Buffer>;
  /** What is wrong with the key by now, on an answer that lasts. @throws while that cannot be known */
  keyFault(): Promise<string | undefined>;
  /** Aborts when the client goes away before its answer. */
  readonly gone: AbortSignal;
  /** Calls `ended` then: costs less than the signal. */
  onGone(ended: () => void): void;
  /** What the request waits for parts of the service; its key was looked up by it. */
  readonly patience: Patience;
  /** Where a path of the API is found from outside. */
  urlOf(path: string): string;
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
};

export type Answer = {
  readonly status: number;
  /** Its JSON: a value, or the bytes of its text as they come. Or events, as long as the client stays. Undefined with a 204. */
  readonly body: object | JsonStream | LiveEvents | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Bytes of a JSON text. An error while they come cuts the connection: the client must not take a part for the whole. */
export class JsonStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/** Server-sent events: an answer without an end of its own. Its sender gives the place back. */
export class LiveEvents {
  readonly stream: EventStream;
  readonly place: StreamPlace;
  readonly heartbeatMs: number;
  readonly onFault: (error: unknown) => void;
  constructor(options: Pick<LiveEvents, 'stream' | 'place' | 'heartbeatMs' | 'onFault'>) {
    this.stream = options.stream;
    this.place = options.place;
    this.heartbeatMs = options.heartbeatMs;
    this.onFault = options.onFault;
  }
}

export type Handler = (call: Call) => Promise<Answer>;
