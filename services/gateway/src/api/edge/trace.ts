import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isTraceparent } from '@indelible/service-runtime';
import type { RequestTrace } from '../../request-trace.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The ids that follow a request through logs and messages: the client's own if they are well-formed. */
export function traceOf(request: IncomingMessage): RequestTrace {
  const given = String(request.headers['x-request-id'] ?? '').toLowerCase();
  const traceparent = String(request.headers.traceparent ?? '');
  return {
    requestId: uuid.test(given) ? given : randomUUID(),
    ...(isTraceparent(traceparent) ? { traceparent } : {}),
  };
}
