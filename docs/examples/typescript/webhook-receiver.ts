/** A receiver of webhooks: verifies the signature of the raw body, keeps each event once, answers, and then handles it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', DATABASE = 'webhooks.db', HOST = '127.0.0.1', PORT = '3000' } = process.env;
const MAX_BODY_BYTES = 1024 * 1024;

const webhook = new Webhook(WEBHOOK_SECRET);
const inbox = new DatabaseSync(DATABASE);
inbox.exec(
  'create table if not exists inbox (id text primary key, event text not null, handled int not null default 0)',
);
const keep = inbox.prepare('insert or ignore into inbox (id, event) values (?, ?)');
const waiting = inbox.prepare('select id, event from inbox where handled = 0 order by rowid limit 1');
const markHandled = inbox.prepare('update inbox set handled = 1 where id = ?');

/** Your part. After a crash in the middle it is called again: make it idempotent, or write to this database in one transaction. */
function handle(event: { id: string; type: string; subject: string }): void {
  console.log(`handled ${event.type} ${event.id} of ${event.subject}`);
}

function handleWaiting(): void {
  for (let row = waiting.get(); row !== undefined; row = waiting.get()) {
    handle(JSON.parse(row.event as string));
    markHandled.run(row.id as string);
  }
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = (status: number) => response.writeHead(status).end();
  if (request.method !== 'POST') return void answer(405);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return void answer(413);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    return void answer(400);
  }
  keep.run(request.headers['webhook-id'] as string, body); // a repeat has the same id and is kept once
  answer(204);
  setImmediate(handleWaiting);
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
server.listen(Number(PORT), HOST, () => {
  console.log(`listening on http://${HOST}:${(server.address() as AddressInfo).port}`);
  handleWaiting(); // what a crash left
});
