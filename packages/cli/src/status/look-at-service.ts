import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** Whether a service reports that it is ready; otherwise what it waits for. */
export async function lookAtService(name: string, url: string): Promise<readonly Finding[]> {
  let response: Response;
  try {
    response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) });
  } catch {
    return [{ name, ok: false, text: `unreachable at ${url}`, data: { state: 'unreachable', url } }];
  }
  const { waiting } = (await response.json().catch(() => ({}))) as { waiting?: readonly string[] };
  if (response.ok) return [{ name, ok: true, text: 'ready', data: { state: 'ready', url } }];
  const text = `not ready: waits for ${waiting?.join(', ') ?? `an unknown reason (${response.status})`}`;
  return [{ name, ok: false, text, data: { state: 'waiting', url, waiting: waiting ?? [] } }];
}
