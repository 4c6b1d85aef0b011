import type { Objects } from './objects.ts';
import type { Uploads } from './uploads.ts';

/** A request with its body. `names` are the parts of its path that the route leaves open, decoded. */
export type Call = {
  readonly origin: string;
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
};

export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export type State = { readonly objects: Objects; readonly uploads: Uploads };

export type Route = {
  readonly method: string;
  readonly path: RegExp;
  /** The query parameters it heeds; others are refused unless they have no effect on any route. */
  readonly parameters: readonly string[];
  readonly answer: (state: State, call: Call) => Reply;
};

export const json = (body: unknown): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: JSON.stringify(body),
});
