import type { Connection } from '@indelible/launcher';

/** Makes a collection as a client does; one of the name that is there already is as good. @throws Error with the answer */
export async function makeCollection(
  { rootUrl, apiKey }: Pick<Connection, 'rootUrl' | 'apiKey'>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(new URL('/api/v1/collections', rootUrl), {
    ...{ method: 'POST', signal, body: JSON.stringify({ name }) },
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  });
  const body = await response.text();
  if (response.status !== 201 && response.status !== 409)
    throw new Error(`the collection was not made: ${response.status} ${body.slice(0, 500)}`);
}
