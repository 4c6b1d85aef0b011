import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isTraceparent } from '@indelible/service-runtime';
import type { RequestTrace } from '../../request-trace.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Ids that identify a request in logs and messages: the client's own if well-formed. */
export function traceOf(request: IncomingMessage): RequestTrace {
  const given = String(request.headers['x-request-id'] ?? '').toLowerCase();
  const traceparent = String(request.headers.traceparent ?? '');
  return {
    requestId: uuid.test(given) ? given : randomUUID(),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
  };
}
