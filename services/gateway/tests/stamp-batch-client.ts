import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { components } from '../src/api/generated/openapi.ts';
import type { Account, Gateway } from './gateway-harness.ts';
import { createResponseCheck } from './response-check.ts';

export type BatchResult = components['schemas']['StampBatchResult'];
export type BatchAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly results: readonly BatchResult[];
  /** Of an answer that is no batch's. */
  readonly error: Partial<components['schemas']['Error']>;
};

type Settings = { readonly query?: string; readonly contentType?: string; readonly headers?: Record<string, string> };

const checkResponse = createResponseCheck();

/** A batch sent and answered as a whole, checked against the OpenAPI document. */
export async function postBatch(
  gateway: Pick<Gateway, 'base'>,
  who: Account | undefined,
  body: string | Buffer,
  { query = '', contentType = 'application/x-ndjson', headers = {} }: Settings = {},
): Promise<BatchAnswer> {
  const url = `${gateway.base}/stamps/batch${query}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(who === undefined ? {} : { Authorization: `Bearer ${who.apiKey}` }),
      'Content-Type': contentType,
      ...headers,
    },
    body,
  });
  const text = await response.text();
  const { status } = response;
  checkResponse({ method: 'POST', url, status, headers: response.headers, text });
  const results = status === 200 ? text.trimEnd().split('\n').map(parse) : [];
  return { status, headers: response.headers, results, error: status === 200 ? {} : JSON.parse(text) };
}

export const linesOf = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A batch that is sent piece by piece, and answered meanwhile. */
export function openBatch(gateway: Pick<Gateway, 'base'>, who: Account, headers: Record<string, string> = {}) {
  const request = httpRequest(`${gateway.base}/stamps/batch`, {
    method: 'POST',
    agent: false,
    headers: { Authorization: `Bearer ${who.apiKey}`, 'Content-Type': 'application/x-ndjson', ...headers },
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('error', reject).once('response', resolve);
  });
  response.catch(() => {});
  request.flushHeaders();
  return {
    request,
    response,
    send: (lines: readonly object[]): boolean => request.write(linesOf(lines)),
    end: (): void => void request.end(),
    /** The results as they come, until the answer's end. */
    async *results(): AsyncGenerator<BatchResult, void, undefined> {
      const incoming = await response;
      for await (const line of createInterface({ input: incoming, crlfDelay: Number.POSITIVE_INFINITY }))
        yield parse(line);
      if (!incoming.complete) throw new Error('the answer was cut off');
    },
    leave: (): void => void request.destroy(),
  };
}

const parse = (line: string): BatchResult => JSON.parse(line) as BatchResult;
