import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import type { components } from '../src/api/generated/openapi.ts';
import type { Account } from './gateway-harness.ts';

export type Received = {
  readonly id: string;
  readonly name: string;
  /** The one line of its data. */
  readonly text: string;
  readonly event: components['schemas']['Event'];
};

export type EventClient = Awaited<ReturnType<typeof openEvents>>;

/** A client per the HTML standard: fields, blank lines, and the last id, even of blocks without data. */
export async function openEvents(
  base: string,
  who: Account,
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const sent = request(`${base}/events?${new URLSearchParams(query)}`, {
    headers: { Authorization: `Bearer ${who.apiKey}`, ...headers },
    agent: false,
  });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the stream is a ${response.statusCode}`);
  const events: Received[] = [];
  let lastEventId: string | undefined;
  let end: { readonly error: string; readonly details?: string } | undefined;
  let rest = '';
  let heartbeats = 0;
  let retry: number | undefined;

  function readBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
      if (name === '') heartbeats += 1;
      expect([line, fields.has(name)]).toEqual([line, false]);
      fields.set(name, value);
    }
    lastEventId = fields.get('id') ?? lastEventId;
    if (fields.has('retry')) retry = Number(fields.get('retry'));
    const text = fields.get('data');
    const name = fields.get('event');
    if (text === undefined || name === undefined) return;
    if (name === 'end') end = JSON.parse(text) as typeof end;
    else events.push({ id: lastEventId as string, name, text, event: JSON.parse(text) as Received['event'] });
  }
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() as string;
    for (const block of blocks) readBlock(block);
  });
  response.on('error', () => {});
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  return {
    headers: response.headers,
    events,
    lastEventId: () => lastEventId,
    retry: () => retry,
    end: () => end,
    heartbeats: () => heartbeats,
    subjects: () => events.map(({ event }) => event.subject),
    /** When there are so many events. */
    received: (count: number) =>
      eventually(() => expect(events.length).toBeGreaterThanOrEqual(count), { timeoutMs: 25_000 }),
    pause: () => response.pause(),
    resume: () => response.resume(),
    /** The reason the service gave. */
    async ended() {
      await closed;
      return end;
    },
    async close() {
      sent.destroy();
      await closed;
    },
  };
}
