import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventInJson, type SeenEvent, seenEventOf } from './public-event.ts';
import type { FaultySubscriber } from './subscriber.ts';

/** Before every event of a test. */
const beginning = '2020-01-01T00:00:00Z';
const againAfterMs = 200;
/** A stream that is silent for this long, several heartbeats, is connected again. */
const silentMs = 60_000;

/** A reader of an account's stream of server-sent events: it connects again with the last id whenever the stream ends. */
export function startStreamReader(rootUrl: string, account: string, apiKey: string): FaultySubscriber {
  const events: SeenEvent[] = [];
  const ending = new AbortController();
  let lastId: string | undefined;
  let current: IncomingMessage | undefined;

  function readBlock(block: string): void {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
    const data = fields.get('data');
    if (data !== undefined && fields.get('event') !== 'end')
      events.push(seenEventOf(JSON.parse(data) as EventInJson, account));
    lastId = fields.get('id') ?? lastId;
  }

  /** Until the stream ends, for whatever reason. */
  async function readStream(): Promise<void> {
    const asked = request(`${rootUrl}/api/v1/events${lastId === undefined ? `?since=${beginning}` : ''}`, {
      headers: { Authorization: `Bearer ${apiKey}`, ...(lastId !== undefined && { 'Last-Event-ID': lastId }) },
      agent: false,
      signal: ending.signal,
    });
    asked.on('error', () => {}).setTimeout(silentMs, () => asked.destroy());
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    current = response;
    response.on('error', () => {}).setEncoding('utf8');
    if (response.statusCode !== 200) response.destroy();
    let rest = '';
    response.on('data', (chunk: string) => {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) readBlock(block);
    });
    if (!response.closed) await once(response, 'close');
  }

  const reading = (async () => {
    while (!ending.signal.aborted) {
      await readStream().catch(() => {});
      await delay(againAfterMs, undefined, { signal: ending.signal }).catch(() => {});
    }
  })();
  return {
    name: `stream of ${account}`,
    account,
    once: true,
    inOrder: true,
    events,
    faults: {
      'cut a stream': async () => void current?.destroy(),
      'read nothing of a stream': async (ms) => {
        const slow = current;
        slow?.pause();
        await delay(ms);
        slow?.resume();
      },
    },
    async stop() {
      ending.abort();
      await reading;
    },
  };
}
