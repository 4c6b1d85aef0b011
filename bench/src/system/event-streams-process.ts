import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { quantilesOf } from '../measuring/quantiles.ts';
import type { EventStreamsSettings, StreamsReading } from './event-streams.ts';

type Event = { readonly type: string; readonly time: string; readonly sequence: string };

/** Clients of GET /events, each of one collection, in one process. It tells what they had. */
process.once('message', async ({ rootUrl, apiKey, collections, after }: EventStreamsSettings) => {
  let events = 0;
  let outOfOrder = 0;
  let ended = 0;
  const lateMs: number[] = [];

  async function open(collection: string): Promise<void> {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Last-Event-ID': String(after) };
    const asked = request(new URL(`/api/v1/events?collections=${collection}`, rootUrl), { headers, agent: false });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
    let rest = '';
    let last: number | undefined;
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const arrivedAt = Date.now();
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const { type, time, sequence } = JSON.parse(data) as Event;
        if (last !== undefined && Number(sequence) !== last + 1) outOfOrder += 1;
        last = Number(sequence);
        events += 1;
        if (type.startsWith('com.indelible.stamp.confirmed.')) lateMs.push(arrivedAt - Date.parse(time));
      }
    });
    response.on('error', () => {}).on('close', () => (ended += 1));
  }

  // Some at a time: connections wait in a queue of the operating system, which is short.
  for (let at = 0; at < collections.length; at += 50) await Promise.all(collections.slice(at, at + 50).map(open));
  process.once('disconnect', () => process.exit());
  const server = createServer((_request, response) => {
    const reading: StreamsReading = {
      ...{ events, outOfOrder, ended, confirmed: lateMs.length },
      lateMs: lateMs.length === 0 ? null : quantilesOf(lateMs),
    };
    response.end(JSON.stringify(reading));
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
