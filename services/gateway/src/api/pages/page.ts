/** Responses without an operation: documents and the pages that show them. */
export type Page = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  json: 'application/json; charset=utf-8',
  schema: 'application/schema+json; charset=utf-8',
};

export const cached = { 'Cache-Control': 'public, max-age=3600' };
export const checked = { 'Cache-Control': 'no-cache' };

/** A page runs scripts and styles of its own origin only. */
export const policy = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Referrer-Policy': 'no-referrer',
};

export const page = (
  type: keyof typeof types,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
  status = 200,
): Page => ({
  status,
  headers: { 'Content-Type': types[type], 'X-Content-Type-Options': 'nosniff', ...headers },
  body: Buffer.from(body),
});

type Link = readonly [location: string, text: string];
const linkOf = ([location, text]: Link): string => `<a href="${location}">${text}</a>\n`;

/**
 * Redirects to the first of some relative paths, to work below any path that a proxy adds; other clients get links to
 * all.
 */
export const redirect = (first: Link, ...others: readonly Link[]): Page =>
  page('html', `<!doctype html>${[first, ...others].map(linkOf).join('')}`, { Location: first[0], ...checked }, 302);
