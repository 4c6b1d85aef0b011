import type { Hex } from '@indelible/identifiers';
import type { Patience } from '../../limits/patience.ts';
import type { RequestTrace } from '../../request-trace.ts';
import type { EventStream } from '../../use-cases/event-streams/event-stream.ts';
import type { StreamPlace } from '../../use-cases/event-streams/open-streams.ts';
import type { ContentType } from './content-type.ts';

/** An authenticated request as operations see it, without server types. */
export type Call = {
  readonly account: Hex;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The JSON body, valid by the document; undefined for other bodies, and for operations that stream. */
  readonly json: unknown;
  /** The type of the body, one of the operation's; undefined when it takes none. */
  readonly contentType: ContentType | undefined;
  header(name: string): string | undefined;
  /** @throws HttpError 400 naming the header when it is given twice */
  singleHeader(name: string): string | undefined;
  /**
   * The body's bytes as they come.
   * @param rests whether the client waits for the service: its rate does not count then
   * @throws HttpError 413, 408; ClientGoneError
   */
  body(maxBytes: number, rests?: () => boolean): AsyncIterable<Buffer>;
  /** Takes up to `wanted` stamps from the key's rate, at least one; waits until that is possible. */
  allow(wanted: number, signal: AbortSignal): Promise<number>;
  /** Announced size of the body; undefined when it is chunked. */
  readonly bodyBytes: number | undefined;
  /** Counts bytes that are held until the response. @throws HttpError 503 when the account has its share of the memory */
  hold(bytes: number): void;
  /** The whole body; its bytes are counted. @throws as `body` and `hold` */
  wholeBody(maxBytes: number): Promise<Buffer>;
  /** Why the key is no longer valid; undefined while it is. For long responses. @throws while that cannot be known */
  keyFault(): Promise<string | undefined>;
  /** Aborts when the client disconnects before the end of the response. */
  readonly gone: AbortSignal;
  /** Calls `ended` then: costs less than the signal. */
  onGone(ended: () => void): void;
  /** Limits how long the request waits for other services, including its key look-up. */
  readonly patience: Patience;
  /** The public URL of a path of the API. */
  urlOf(path: string): string;
  readonly trace: RequestTrace;
};

export type Answer = {
  readonly status: number;
  /**
   * The JSON body: a value, or its text as a stream of bytes; or events while the client is connected. Undefined for a
   * 204.
   */
  readonly body: object | JsonStream | LiveEvents | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * Bytes of a JSON text. An error while streaming cuts the connection: the client must not take a part for the whole.
 */
export class JsonStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.bytes = bytes;
  }
}

/** Server-sent events: a response that does not end by itself. Its sender frees the place. */
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
