import type { ServerResponse } from 'node:http';
import { endFrame } from '../../use-cases/event-streams/frames.ts';
import type { StreamEnd } from '../../use-cases/event-streams/open-streams.ts';
import type { LiveEvents } from './call.ts';
import type { FlowWatch } from './flow-watch.ts';
import { watchAnswer } from './send.ts';

const headers = {
  'Content-Type': 'text/event-stream',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  // nginx would buffer events.
  'X-Accel-Buffering': 'no',
  // The next request needs another connection, so that an ended stream delays no stop.
  Connection: 'close',
} as const;

/** How long sending the rest may take after a stream has ended. */
const lingerMs = 2_000;

const left: StreamEnd = { reason: 'client', error: 'the client left' };
const tooSlow: StreamEnd = {
  reason: 'slow',
  error: 'too slow',
  details: 'the client takes events too slowly; connect again with Last-Event-ID',
};
const broken: StreamEnd = { reason: 'fault', error: 'internal error', details: 'connect again with Last-Event-ID' };

/**
 * Sends events until their stream ends. Holds one piece at a time: the next is read when the connection has accepted
 * it. A client with nothing to read is not slow.
 */
export async function sendEvents(
  response: ServerResponse,
  { stream, place, heartbeatMs, onFault }: LiveEvents,
  watch: FlowWatch,
  isHead: boolean,
): Promise<void> {
  response.once('close', () => place.end(left));
  const isGone = response.closed || response.destroyed;
  if (isGone || isHead) place.end(left);
  if (!isGone) response.writeHead(200, headers).write(stream.opening());
  watchAnswer(response, watch, () => place.end(tooSlow));
  const heart = setInterval(() => {
    if (!response.writableNeedDrain) response.write(stream.heartbeat());
  }, heartbeatMs);
  try {
    for (let piece = await stream.next(); piece !== undefined; piece = await stream.next()) {
      heart.refresh();
      place.sent(piece.events);
      if (!response.write(piece.bytes)) await drained(response, place.ended);
    }
  } catch (error) {
    onFault(error);
    place.end(broken);
  } finally {
    clearInterval(heart);
    place.leave();
  }
  if (response.closed || response.destroyed) return;
  const cut = setTimeout(() => response.destroy(), lingerMs);
  response.once('close', () => clearTimeout(cut));
  const { error, details } = place.ended.reason as StreamEnd;
  response.end(endFrame({ error, ...(details === undefined ? {} : { details }) }));
}

/** Resolves when the connection has accepted what was written, or the stream ends. */
const drained = (response: ServerResponse, ended: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      ended.removeEventListener('abort', done);
      resolve();
    };
    response.once('drain', done);
    ended.addEventListener('abort', done, { once: true });
    if (ended.aborted) done();
  });
