import type { DoctoredStack } from './doctored-stack.ts';

export type Answer = { readonly status: number; readonly body: Record<string, unknown> };

/** The requests of a client that stamps, uploads and makes collections. */
export function createRequests({ connection }: Pick<DoctoredStack, 'connection'>) {
  const headers = { authorization: `Bearer ${connection.apiKey}` };
  const send = async (path: string, body: FormData | string, more: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${connection.rootUrl}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, ...more, ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}) },
      body,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const form = (fields: Readonly<Record<string, string | Blob>>, name: string): FormData => {
    const data = new FormData();
    for (const [key, value] of Object.entries(fields))
      if (typeof value === 'string') data.append(key, value);
      else data.append(key, value, name);
    return data;
  };
  return {
    stamp: (fields: Readonly<Record<string, string | Blob>>, name = 'file.txt', more: Record<string, string> = {}) =>
      send('/stamps', form(fields, name), more),
    upload: (fields: Readonly<Record<string, string | Blob>>, name = 'file.txt') =>
      send('/stamps/upload-stamped-file', form(fields, name)),
    createCollection: (body: object) => send('/collections', JSON.stringify(body)),
  };
}
