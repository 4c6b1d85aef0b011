import { readFile } from 'node:fs/promises';
import type { TokenSource } from '@indelible/service-runtime';

/** A token's lifetime where the endpoint does not say it (RFC 6749 only recommends to). */
const usualLifetimeSeconds = 60;
/** A token is used for this part of its lifetime, so that it does not expire on its way. */
const usedPart = 0.8;
const timeoutMs = 5_000;

type Granted = { readonly value: string; readonly until: number };

/**
 * Tokens for OAUTHBEARER. Those of an endpoint are requested once for all connections, and again before they expire; a file is read
 * each time, since something else keeps it current. No error holds a token or a secret (I10).
 * @param now milliseconds of a monotonic clock
 */
export function createTokenSource(source: TokenSource, now: () => number = () => performance.now()) {
  let granted: Granted | undefined;
  let requesting: Promise<Granted> | undefined;
  return async (): Promise<string> => {
    if (source.kind === 'file') return readToken(source.path);
    if (granted !== undefined && now() < granted.until) return granted.value;
    requesting ??= requestToken(source, now).finally(() => {
      requesting = undefined;
    });
    granted = await requesting;
    return granted.value;
  };
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (cause) {
    throw new Error(`the token file (KAFKA_OAUTH_TOKEN_FILE) cannot be read: ${(cause as NodeJS.ErrnoException).code}`);
  }
}

async function requestToken(source: Extract<TokenSource, { kind: 'endpoint' }>, now: () => number): Promise<Granted> {
  const began = now();
  const { clientId, clientSecret, scope } = source;
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  // RFC 6749, 2.3.1: encoded as a form before it is encoded for Basic
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`;
  let response: Response;
  try {
    response = await fetch(source.url, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch (cause) {
    throw new Error('the token endpoint (KAFKA_OAUTH_TOKEN_URL) cannot be reached', { cause });
  }
  const answer = (await response.json().catch(() => ({}))) as { access_token?: unknown; expires_in?: unknown };
  if (!response.ok || typeof answer.access_token !== 'string')
    throw new Error(`the token endpoint (KAFKA_OAUTH_TOKEN_URL) grants no token: status ${response.status}`);
  const lifetime = Number(answer.expires_in) > 0 ? Number(answer.expires_in) : usualLifetimeSeconds;
  return { value: answer.access_token, until: began + lifetime * 1_000 * usedPart };
}
