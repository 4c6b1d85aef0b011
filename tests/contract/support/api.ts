import type { ContractStack } from './contract-stack.ts';
import { multipart, multipartType, type WrittenPart } from './multipart.ts';
import { bytesOf, exchange, type RawAnswer, type RawRequest } from './raw-http.ts';

export type Receipt = {
  readonly transaction_hash: string;
  readonly user_address: string;
  readonly set_cid: string;
  readonly object_cid: string;
  readonly timestamp: string;
  readonly chain_id: number;
};
export type Collection = Readonly<Record<string, unknown>> & { readonly id: number; readonly cid: string };
/** Whatever an answer may hold. */
export type Body = {
  readonly error?: string;
  readonly details?: string;
  readonly commitment_receipt?: Receipt;
  readonly file_object?: { readonly file_name: string; readonly file_path: string };
  readonly stamp_list?: readonly Receipt[];
  readonly display_timezone?: string;
  readonly id?: string | number;
  readonly status?: string;
} & Readonly<Record<string, unknown>>;
export type Answer = Omit<RawAnswer, 'body'> & { readonly body: Body; readonly text: string };

/** Asks a running service over plain sockets, as the holder of a key. */
export function createApi(stack: ContractStack, apiKey: string = stack.connection.apiKey) {
  const port = Number(new URL(stack.connection.rootUrl).port);
  const authorization = `Authorization: Bearer ${apiKey}`;
  const answerOf = ({ status, headers, body: text }: RawAnswer): Answer => ({
    status,
    headers,
    text,
    body: text === '' ? {} : (JSON.parse(text) as Body),
  });
  const send = async (request: RawRequest, timeoutMs?: number): Promise<Answer> => {
    const headers = [authorization, ...(request.headers ?? [])];
    const bytes = bytesOf({ ...request, path: `/api/v1${request.path}`, headers });
    return answerOf(await exchange(port, bytes, timeoutMs === undefined ? {} : { timeoutMs }));
  };
  return {
    apiKey,
    port,
    authorization,
    send,
    /** Without a key, and with the path as it is. */
    sendBare: async (request: RawRequest): Promise<Answer> => answerOf(await exchange(port, bytesOf(request))),
    sendBytes: async (bytes: Buffer, options?: Parameters<typeof exchange>[2]): Promise<Answer> =>
      answerOf(await exchange(port, bytes, options)),
    get: (path: string, headers: readonly string[] = []): Promise<Answer> => send({ method: 'GET', path, headers }),
    postJson: (path: string, body: unknown, headers: readonly string[] = []): Promise<Answer> =>
      send({
        path,
        headers: ['Content-Type: application/json', ...headers],
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    stamp: (fields: Readonly<Record<string, string>>, headers: readonly string[] = []): Promise<Answer> =>
      send({
        path: '/stamps',
        headers: ['Content-Type: application/x-www-form-urlencoded', ...headers],
        body: new URLSearchParams(fields).toString(),
      }),
    stampParts: (parts: readonly WrittenPart[], headers: readonly string[] = []): Promise<Answer> =>
      send({ path: '/stamps', headers: [multipartType, ...headers], body: multipart(parts) }),
  };
}
export type Api = ReturnType<typeof createApi>;
