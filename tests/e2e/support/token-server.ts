import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export const client = { clientId: 'indelible', clientSecret: 'a client s3cret' };

/** A token without a signature, as the broker's test validator accepts it. */
export function unsignedToken(lifetimeSeconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode({ sub: 'ada', iat: now, exp: now + lifetimeSeconds })}.`;
}

/** Grants tokens for client credentials (RFC 6749, 4.4). */
export async function startTokenServer(lifetimeSeconds: number) {
  let granted = 0;
  const expected = `Basic ${Buffer.from(`${client.clientId}:${encodeURIComponent(client.clientSecret)}`).toString('base64')}`;
  const server = createServer(async (request, response) => {
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const known = request.headers.authorization === expected && form.get('grant_type') === 'client_credentials';
    if (known) granted += 1;
    response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
    const answer = { access_token: unsignedToken(lifetimeSeconds), token_type: 'Bearer', expires_in: lifetimeSeconds };
    response.end(JSON.stringify(known ? answer : { error: 'invalid_client' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    granted: () => granted,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
