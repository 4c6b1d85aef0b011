import { setTimeout as delay } from 'node:timers/promises';
import type { Receipt } from '../../e2e/support/client.ts';

export type Body = {
  commitment_receipt?: Receipt;
  file_object?: { file_name: string; file_path: string };
  stamp_list?: Receipt[];
  status?: string;
  object_cid?: string;
  error?: string;
  details?: string;
};
/** One answer of the service; `began` and `ended` in ms of the process's clock. */
export type Seen = {
  readonly what: string;
  readonly status: number;
  readonly location: string | null;
  readonly body: Body;
  readonly began: number;
  readonly ended: number;
};

/**
 * A client as the contract tells: 503 is tried again after Retry-After, Location is followed. Everything it sees is
 * kept, and what no client may see is kept as a violation.
 */
export function createPatientClient(options: {
  readonly rootUrl: string;
  readonly apiKey: string;
  /** No answer may take longer. */
  readonly limitMs: number;
}) {
  const seen: Seen[] = [];
  const violations: string[] = [];
  const underWay = new Set<{ readonly began: number }>();
  const base = `${options.rootUrl}/api/v1`;

  /** One request, answered within the limit; undefined when it broke off. */
  async function ask(
    what: string,
    url: string,
    init: RequestInit,
  ): Promise<(Seen & { retryAfterMs: number }) | undefined> {
    const began = performance.now();
    const request = { began };
    underWay.add(request);
    try {
      const response = await fetch(new URL(url, `${base}/`), {
        ...init,
        headers: { authorization: `Bearer ${options.apiKey}`, ...init.headers },
        signal: AbortSignal.timeout(options.limitMs),
      });
      const body = (await response.json()) as Body;
      const one = {
        what,
        status: response.status,
        location: response.headers.get('location'),
        body,
        began,
        ended: performance.now(),
      };
      seen.push(one);
      const retryAfter = response.headers.get('retry-after');
      const isRetryable = response.status === 503 || response.status === 429;
      if (isRetryable && (!/^[1-9]\d*$/.test(retryAfter ?? '') || typeof body.error !== 'string'))
        violations.push(
          `${what}: ${response.status} without Retry-After or error: ${retryAfter} ${JSON.stringify(body)}`,
        );
      if (response.status >= 400 && !isRetryable)
        violations.push(`${what}: ${response.status} ${JSON.stringify(body)}`);
      return { ...one, retryAfterMs: Number(retryAfter ?? 1) * 1000 };
    } catch (error) {
      const after = Math.round(performance.now() - began);
      violations.push(`${what}: no answer after ${after} ms: ${error} ${(error as Error).cause ?? ''}`);
      return undefined;
    } finally {
      underWay.delete(request);
    }
  }

  /** Asks until it is answered by something else than 503, as long as the signal lets it. */
  async function insist(what: string, url: string, init: () => RequestInit, signal: AbortSignal): Promise<Seen> {
    for (;;) {
      signal.throwIfAborted();
      const answer = await ask(what, url, init());
      if (answer !== undefined && answer.status !== 503 && answer.status !== 429) return answer;
      if (answer?.location) return answer;
      await delay(answer?.retryAfterMs ?? 1_000, undefined, { signal });
    }
  }

  const form = (fields: Record<string, string | Blob>): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') data.append(name, value);
      else data.append(name, value, 'file.bin');
    }
    return data;
  };

  return {
    seen,
    violations,
    /** How many requests wait for their answer that began before the moment. */
    underWaySince: (moment: number): number => [...underWay].filter((one) => one.began < moment).length,
    /** Stamps, and follows the status resource where one is named, until the stamp is confirmed, with its file, or failed. */
    async stamp(
      fields: Record<string, string | Blob>,
      how: { readonly respondAsync: boolean; readonly withFile: boolean; readonly signal: AbortSignal },
    ): Promise<Seen> {
      const headers = how.respondAsync ? { prefer: 'respond-async' } : {};
      const init = (): RequestInit => ({ method: 'POST', headers, body: form(fields) });
      const answer = await insist('stamp', `${base}/stamps`, init, how.signal);
      if (answer.location === null) return answer;
      for (;;) {
        const status = await insist('status', answer.location, () => ({}), how.signal);
        const isOnChain = ['confirmed', 'finalized'].includes(status.body.status ?? '');
        const isWhole = isOnChain && (!how.withFile || status.body.file_object !== undefined);
        if (isWhole || status.body.status === 'failed') return status;
        await delay(250, undefined, { signal: how.signal });
      }
    },
    verify: (cids: readonly string[], signal: AbortSignal): Promise<Seen> =>
      insist(
        'verify',
        `${base}/stamps/verify`,
        () => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ cids }) }),
        signal,
      ),
    status: (location: string, signal: AbortSignal): Promise<Seen> => insist('status', location, () => ({}), signal),
    /** One request as it is, for those who look at a single answer. */
    once: (fields: Record<string, string | Blob>, headers: Record<string, string> = {}) =>
      ask('stamp', `${base}/stamps`, { method: 'POST', headers, body: form(fields) }),
  };
}
export type PatientClient = ReturnType<typeof createPatientClient>;
