import { createWebhookClient } from '../../src/webhook-requests/webhook-client.ts';

/**
 * `node send-times.ts URL TIMES`: posts sequentially, with every name at 127.0.0.1, and prints the last outcome: for
 * what only a process's environment decides, or only its stderr shows.
 */
const { CA: ca } = process.env;
const client = createWebhookClient({
  allowLoopbackHttp: true,
  lookup: async () => ['127.0.0.1'],
  ...(ca !== undefined && { ca }),
});
const [url = '', times = '1'] = process.argv.slice(2);
const send = () => client.send({ url, headers: {}, body: '{}', signal: new AbortController().signal });
let outcome = await send();
for (let sent = 1; sent < Number(times); sent += 1) outcome = await send();
await client.close();
console.log(JSON.stringify(outcome));
