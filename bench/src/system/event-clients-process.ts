import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { quantilesOf } from '../measuring/quantiles.ts';
import type { ClientsReading, EventClientsSettings, Received } from './event-clients.ts';

type Event = { readonly type: string; readonly time: string; readonly sequence: string };

/** Counts what clients of one kind receive, each of them from one collection. */
function createReceipts() {
  let events = 0;
  let outOfOrder = 0;
  const lateMs: number[] = [];
  const last = new Map<string, number>();
  return {
    note(collection: string, { type, time, sequence }: Event): void {
      const before = last.get(collection);
      if (before !== undefined && Number(sequence) !== before + 1) outOfOrder += 1;
      last.set(collection, Number(sequence));
      events += 1;
      if (type.startsWith('com.indelible.stamp.confirmed.')) lateMs.push(Date.now() - Date.parse(time));
    },
    read: (): Received => ({
      ...{ events, outOfOrder, confirmed: lateMs.length },
      sequences: [...last.values()].reduce((sum, each) => sum + each, 0),
      lateMs: lateMs.length === 0 ? null : quantilesOf(lateMs),
    }),
  };
}

/** Clients of GET /events, each of one collection, and receivers of webhooks, in one process, which reports what they received. */
process.once('message', async ({ rootUrl, apiKey, streams, after }: EventClientsSettings) => {
  const streamed = createReceipts();
  const posted = createReceipts();
  let ended = 0;

  async function open(collection: string): Promise<void> {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Last-Event-ID': String(after) };
    const asked = request(new URL(`/api/v1/events?collections=${collection}`, rootUrl), { headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
    let rest = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) streamed.note(collection, JSON.parse(data) as Event);
      }
    });
    response.on('error', () => {}).on('close', () => (ended += 1));
  }

  // Some at a time: connections wait in a queue of the operating system, which is short.
  for (let at = 0; at < streams.length; at += 50) await Promise.all(streams.slice(at, at + 50).map(open));
  process.once('disconnect', () => process.exit());
  const server = createServer(async (asked, response) => {
    if (asked.method === 'POST') {
      posted.note((asked.url as string).slice(1), JSON.parse(await text(asked)) as Event);
      return response.writeHead(204).end();
    }
    const reading: ClientsReading = { streams: { ...streamed.read(), ended }, webhooks: posted.read() };
    return response.end(JSON.stringify(reading));
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
