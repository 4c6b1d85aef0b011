import { type CloudEvent, setOf } from '@indelible/public-events';
import { nameOf } from '../../decisions/event-filter.ts';

/** An event as sent, serialised once for all readers, with its filter fields. */
export type Frame = {
  readonly position: number;
  readonly name: string;
  readonly set: string;
  readonly bytes: Buffer;
};

/** JSON contains no line breaks, so the event is one `data:` line. */
export function frameOf(position: number, event: CloudEvent): Frame {
  const name = nameOf(event);
  const bytes = Buffer.from(`id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(event)}\n\n`);
  return { position, name, set: setOf(event), bytes };
}

/**
 * The first bytes of a stream: the reconnect delay, and where the client resumes even if no event comes before. An
 * `id:` without data is no event, but the client keeps it (HTML standard, 9.2.6).
 */
export const openingFrame = (retryMs: number, position: number | undefined): Buffer =>
  Buffer.from(`retry: ${retryMs}\n${position === undefined ? '' : `id: ${position}\n`}\n`);

/** A comment, and the client's position, so that it resumes after what its filter left out. */
export const heartbeatFrame = (position: number | undefined): Buffer =>
  Buffer.from(`: heartbeat\n${position === undefined ? '' : `id: ${position}\n`}\n`);

/** The last event of a stream that the service ends. */
export const endFrame = (end: { readonly error: string; readonly details?: string }): Buffer =>
  Buffer.from(`event: end\ndata: ${JSON.stringify(end)}\n\n`);
