import { setTimeout as delay } from 'node:timers/promises';

export type Receipt = {
  readonly transaction_hash: string;
  readonly user_address: string;
  readonly set_cid: string;
  readonly object_cid: string;
  readonly timestamp: string;
  readonly chain_id: number;
};
export type Stamped = {
  readonly status: 200 | 201;
  readonly receipt: Receipt;
  readonly filePath: string | undefined;
};
export type Form = Readonly<Record<string, string | { readonly bytes: Buffer; readonly name: string }>>;

/** A status outside the contract for a valid request, or no valid response in all that time. */
export class ContractBroken extends Error {}

/** How long a request may be repeated: longer than any fault of a run, recovery and a full queue take together. */
const limitMs = 180_000;

/**
 * A client as the contract describes one: it repeats an idempotent request after a 503, or when the connection broke,
 * until it has its receipt. A 202 is followed by its status resource.
 */
export function createPatientClient(rootUrl: string, apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` };
  const api = `${rootUrl}/api/v1`;
  const counts = { requests: 0, retries: 0 };

  async function ask(
    url: string,
    init: RequestInit,
  ): Promise<{ status: number; body: Record<string, unknown>; location: string }> {
    counts.requests++;
    const response = await fetch(url, {
      ...init,
      headers: { ...headers, ...init.headers },
      signal: AbortSignal.timeout(60_000),
    });
    const body = (await response.json()) as Record<string, unknown>;
    if (response.status === 503 && response.headers.get('retry-after') === null)
      throw new ContractBroken(`a 503 without Retry-After: ${JSON.stringify(body)}`);
    return { status: response.status, body, location: response.headers.get('location') ?? '' };
  }

  /** Retries until something other than a 503 or a broken connection arrives, or the limit is over. */
  async function persist(url: string, init: () => RequestInit) {
    const giveUpAt = Date.now() + limitMs;
    for (;;) {
      let last: unknown;
      try {
        const answer = await ask(url, init());
        if (answer.status !== 503) return answer;
        last = JSON.stringify(answer.body);
      } catch (error) {
        if (error instanceof ContractBroken) throw error;
        last = error;
      }
      if (Date.now() > giveUpAt) throw new ContractBroken(`${url} gave no answer in ${limitMs} ms; the last: ${last}`);
      counts.retries++;
      await delay(200 + 300 * Math.random());
    }
  }

  return {
    counts,
    /** @param key makes the request one, however often it is repeated, also with a window of zero */
    async stamp(form: Form, key?: string): Promise<Stamped> {
      const headers = key === undefined ? {} : { 'idempotency-key': key };
      const { status, body } = await persist(`${api}/stamps`, () => ({ method: 'POST', body: formOf(form), headers }));
      if (status !== 201 && status !== 200)
        throw new ContractBroken(`a stamp was answered ${status}: ${JSON.stringify(body)}`);
      const file = body.file_object as { file_path: string } | undefined;
      return { status, receipt: body.commitment_receipt as Receipt, filePath: file?.file_path };
    },
    /** The status resource of a stamp requested with `Prefer: respond-async`; undefined where it already existed. */
    async stampLater(form: Form): Promise<string | undefined> {
      const { status, body, location } = await persist(`${api}/stamps`, () => ({
        method: 'POST',
        body: formOf(form),
        headers: { prefer: 'respond-async' },
      }));
      if (status === 200) return undefined;
      if (status !== 202) throw new ContractBroken(`respond-async was answered ${status}: ${JSON.stringify(body)}`);
      return new URL(location, rootUrl).href;
    },
    async statusOf(url: string): Promise<string> {
      const { status, body } = await persist(url, () => ({}));
      if (status !== 200) throw new ContractBroken(`a status resource was answered ${status}: ${JSON.stringify(body)}`);
      return String(body.status);
    },
    async verify(cids: readonly string[]): Promise<readonly Receipt[]> {
      const { status, body } = await persist(`${api}/stamps/verify`, () => ({
        method: 'POST',
        body: JSON.stringify({ cids, filter_by_user: true }),
        headers: { 'content-type': 'application/json' },
      }));
      if (status !== 200) throw new ContractBroken(`verify was answered ${status}: ${JSON.stringify(body)}`);
      return body.stamp_list as readonly Receipt[];
    },
  };
}

export type PatientClient = ReturnType<typeof createPatientClient>;

function formOf(form: Form): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(form))
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, new Blob([new Uint8Array(value.bytes)]), value.name);
  return data;
}
