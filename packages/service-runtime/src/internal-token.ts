import { createHash, timingSafeEqual } from 'node:crypto';

/** Another service's internal server, and the headers it requires. */
export type InternalAddress = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The first token is sent; servers accept all, so that tokens can be rotated at run time. */
export const internalAddress = (url: string, tokens: readonly string[] | undefined): InternalAddress => ({
  url: url.replace(/\/+$/, ''),
  headers: tokens?.[0] === undefined ? {} : { authorization: `Bearer ${tokens[0]}` },
});

/** Whether an `Authorization` header has one of the tokens. In constant time. */
export function hasToken(header: string | undefined, tokens: readonly string[]): boolean {
  const given = digestOf(/^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? '');
  // no token is empty, and none ends the search early
  return tokens.reduce((found, token) => timingSafeEqual(given, digestOf(token)) || found, false);
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
