import type { Objects } from './objects.ts';
import type { Uploads } from './uploads.ts';

/** A request with its body. `names` are the decoded variable parts of its path. */
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
  /** The query parameters it honours; others are refused unless they never have an effect. */
  readonly parameters: readonly string[];
  readonly answer: (state: State, call: Call) => Reply;
};

export const json = (body: unknown): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: JSON.stringify(body),
});
