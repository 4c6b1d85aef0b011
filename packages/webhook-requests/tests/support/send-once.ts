import { createWebhookClient } from '../../src/webhook-client.ts';

/** `node send-once.ts URL`: posts once, with every name at 127.0.0.1, and prints the outcome: for what only the environment of a process decides. */
const client = createWebhookClient({ allowLoopbackHttp: true, lookup: async () => ['127.0.0.1'] });
const outcome = await client.send({
  url: process.argv[2] ?? '',
  headers: {},
  body: '{}',
  signal: new AbortController().signal,
});
await client.close();
console.log(JSON.stringify(outcome));
