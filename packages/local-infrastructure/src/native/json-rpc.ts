/** One JSON-RPC call over HTTP; rejects with the answer's message and code, or with the signal's reason. */
export async function callRpc<T = unknown>(
  rpcUrl: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<T> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  if (!response.ok) throw new Error(`${method}: status ${response.status}`);
  const answer = (await response.json()) as { result?: T; error?: { code: number; message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
  return answer.result as T;
}
