/** One JSON-RPC call over HTTP; rejects with the answer's message and code, or with the signal's reason. */
export async function callRpc<T = unknown>(
  rpcUrl: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<T> {
  return resultOf<T>(method, await post(rpcUrl, { jsonrpc: '2.0', id: 1, method, params }, signal));
}

/** Calls in one request; their results in the same order. Rejects when any of them failed. */
export async function callRpcs<T = unknown>(
  rpcUrl: string,
  calls: readonly { readonly method: string; readonly params: readonly unknown[] }[],
  signal: AbortSignal,
): Promise<T[]> {
  if (calls.length === 0) return [];
  const request = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const answers = (await post(rpcUrl, request, signal)) as (Answer & { id: number })[];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(({ method }, id) => resultOf<T>(method, byId.get(id) ?? {}));
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

async function post(rpcUrl: string, body: object, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`the chain's node returned status ${response.status}`);
  return (await response.json()) as Answer;
}

function resultOf<T>(method: string, answer: Answer): T {
  if (answer.error) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
  return answer.result as T;
}
