import { type CloudEvent, setOf } from '@indelible/public-events';
import { nameOf } from '../../decisions/event-filter.ts';

/** An event as it is sent, serialised once for all readers, and the fields for filters. */
export type Frame = {
  readonly position: number;
  readonly name: string;
  readonly set: string;
  readonly bytes: Buffer;
};

/** JSON has no line breaks of its own, so the event is one `data:` line. */
export function frameOf(position: number, event: CloudEvent): Frame {
  const name = nameOf(event);
  const bytes = Buffer.from(`id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(event)}\n\n`);
  return { position, name, set: setOf(event), bytes };
}

/**
 * The first bytes of a stream: how long a client waits before it connects again, and where it resumes even if no event comes before.
 * An `id:` without data is no event, but is kept by the client (HTML standard, 9.2.6).
 */
export const openingFrame = (retryMs: number, position: number | undefined): Buffer =>
  Buffer.from(`retry: ${retryMs}\n${position === undefined ? '' : `id: ${position}\n`}\n`);

/** A comment, and how far the client is by now, so that it resumes behind what its filter left out. */
export const heartbeatFrame = (position: number | undefined): Buffer =>
  Buffer.from(`: heartbeat\n${position === undefined ? '' : `id: ${position}\n`}\n`);

/** The last event of a stream that the service ends. */
export const endFrame = (end: { readonly error: string; readonly details?: string }): Buffer =>
  Buffer.from(`event: end\ndata: ${JSON.stringify(end)}\n\n`);
