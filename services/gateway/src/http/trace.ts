import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const traceparentShape = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What a request is followed by through logs and messages: the caller's own ids where they are well-formed. */
export function traceOf(request: IncomingMessage): { requestId: string; traceparent?: string } {
  const given = String(request.headers['x-request-id'] ?? '').toLowerCase();
  const traceparent = String(request.headers.traceparent ?? '');
  return {
    requestId: uuid.test(given) ? given : randomUUID(),
    ...(traceparentShape.test(traceparent) ? { traceparent } : {}),
  };
}
