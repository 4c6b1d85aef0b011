import type { Hex } from '@indelible/identifiers';
import type { ContentType } from './content-type.ts';

/** An authenticated request as an operation sees it; nothing of the server's own. */
export type Call = {
  readonly account: Hex;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** The value of a JSON body that fits the document; undefined for other bodies. */
  readonly json: unknown;
  /** The type of the body, one of the operation's; undefined when it takes none. */
  readonly contentType: ContentType | undefined;
  header(name: string): string | undefined;
  /** The body's bytes as they come. @throws HttpError 413, 408; ClientGoneError */
  body(maxBytes: number): AsyncIterable<Buffer>;
  /** Where a path of the API is found from outside. */
  urlOf(path: string): string;
  readonly trace: { readonly requestId: string; readonly traceparent?: string };
};

export type Answer = {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Handler = (call: Call) => Promise<Answer>;
