import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeServer, createLogger, listen, portOf } from '@indelible/service-runtime';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { EventStream } from '../../use-cases/event-streams/event-stream.ts';
import { createOpenStreams, type StreamPlace } from '../../use-cases/event-streams/open-streams.ts';
import type { Piece } from '../../use-cases/event-streams/ring.ts';
import { LiveEvents } from './call.ts';
import { createFlowWatch } from './flow-watch.ts';
import { sendEvents } from './send-events.ts';

const metrics = new Registry();
const streams = createOpenStreams({
  feeds: { join: () => ({ leave: () => {} }) as never },
  maxStreams: 100,
  logger: createLogger({ service: 'test', level: 'silent' }),
  metrics,
});
const watch = createFlowWatch({ stalledMs: 100, minRate: 0 });

/** What the next request gets: pieces one after another, and then nothing until the stream ends. */
let pieces: Iterator<Piece>;
let place: StreamPlace;
let over: Promise<void>;
let server: Server;
beforeAll(async () => {
  const created = createServer((request, response) => {
    place = streams.open({
      form: 'stream',
      account: '0x0a',
      trace: { requestId: 'x' },
      keyFault: async () => undefined,
    });
    const { ended } = place;
    const stream: EventStream = {
      opening: () => Buffer.from('retry: 1000\n\n'),
      heartbeat: () => Buffer.from(': heartbeat\n\n'),
      async next() {
        const { value, done } = pieces.next();
        if (done !== true && !ended.aborted) return value as Piece;
        if (!ended.aborted) await once(ended, 'abort');
        return undefined;
      },
    };
    const live = new LiveEvents({ stream, place, heartbeatMs: 50, onFault: () => {} });
    over = sendEvents(response, live, watch, request.method === 'HEAD');
  });
  server = await listen(created, '127.0.0.1', 0);
});
afterAll(() => closeServer(server, 0));

const pieceOf = (text: string): Piece => ({ bytes: Buffer.from(text), events: 1, next: 0 });
async function openStream(method = 'GET'): Promise<{ socket: Socket; text: () => string; closed: Promise<void> }> {
  const socket = connect(portOf(server), '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(`${method} / HTTP/1.1\r\nHost: x\r\n\r\n`);
  await eventually(() => expect(text).toContain('\r\n\r\n'));
  return { socket, text: () => text, closed };
}

describe('a stream of events that is sent', () => {
  it('has its head and first lines at once, then events and heartbeats, and ends with why', async () => {
    pieces = [pieceOf('id: 1\ndata: a\n\n'), pieceOf('id: 2\ndata: b\n\n')].values();
    const { text, closed } = await openStream();
    await eventually(() =>
      expect(text()).toMatch(/retry: 1000\n\n[\s\S]*data: a\n\n[\s\S]*data: b\n\n[\s\S]*: heartbeat\n\n/),
    );
    place.end({ reason: 'stop', error: 'the service restarts' });
    await closed;
    expect(text()).toMatch(/event: end\ndata: {"error":"the service restarts"}\n\n\r\n0\r\n\r\n$/);
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/);
    await over;
  });

  it('holds one piece for a client that takes nothing, and ends it as too slow (I12)', async () => {
    let taken = 0;
    const endless = function* (): Generator<Piece> {
      for (;;) {
        taken += 1;
        yield pieceOf(`data: ${'x'.repeat(60_000)}\n\n`);
      }
    };
    pieces = endless();
    const { socket, closed } = await openStream();
    socket.pause();
    await once(place.ended, 'abort');
    const atEnd = taken;
    expect(place.ended.reason).toMatchObject({ reason: 'slow', error: 'too slow' });
    // What the kernel takes at most, on both sides.
    expect(atEnd * 60_000).toBeLessThan(64 * 2 ** 20);
    await over;
    expect(taken).toBe(atEnd);
    socket.resume();
    await closed;
    expect(await metrics.metrics()).toContain('indelible_gateway_event_streams_ended_total{reason="slow"} 1');
  });

  it('is not slow while it has nothing to send', async () => {
    pieces = [].values();
    const { socket, text } = await openStream();
    await eventually(() => expect(text().match(/heartbeat/g)?.length).toBeGreaterThan(30));
    expect(place.ended.aborted).toBe(false);
    socket.destroy();
    await over;
    expect(place.ended.reason).toMatchObject({ reason: 'client' });
  });

  it('is only its head for HEAD', async () => {
    pieces = [pieceOf('data: a\n\n')].values();
    const { text, closed } = await openStream('HEAD');
    await closed;
    expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/event-stream\r\n/);
    expect(text().endsWith('\r\n\r\n') && !text().includes('retry')).toBe(true);
    await over;
  });
});
