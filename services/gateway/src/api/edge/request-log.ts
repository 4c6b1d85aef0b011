import { type Logger, traceForLog } from '@indelible/service-runtime';
import { Counter, Histogram, type Registry } from 'prom-client';
import { PendingError } from '../../errors/http-error.ts';

/** How a request ended: one log line and one count, never with keys or content (I10). */
export type RequestOutcome = {
  readonly status: number;
  readonly operation: string;
  readonly method: string;
  readonly seconds: number;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly account: string | undefined;
  readonly error: unknown;
};

export type RequestLog = (outcome: RequestOutcome) => void;

/** The client disconnected before the response. */
export const clientGoneStatus = 499;

export function createRequestLog(logger: Logger, registry: Registry): RequestLog {
  const requests = new Counter({
    name: 'indelible_gateway_requests_total',
    help: 'Requests by operation and status',
    labelNames: ['operation', 'status'],
    registers: [registry],
  });
  const pendings = new Counter({
    name: 'indelible_gateway_pending_answers_total',
    help: 'Requests answered 503 at the wait limit: accepted, and going on; indelible_gateway_requests_total counts them as well',
    labelNames: ['operation'],
    registers: [registry],
  });
  for (const operation of ['createStamp', 'createCollection', 'uploadStampedFile']) pendings.inc({ operation }, 0);
  const seconds = new Histogram({
    name: 'indelible_gateway_request_duration_seconds',
    help: 'Seconds from the headers of a request to its answer',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return (outcome) => {
    requests.inc({ operation: outcome.operation, status: outcome.status });
    if (outcome.error instanceof PendingError) pendings.inc({ operation: outcome.operation });
    seconds.observe({ operation: outcome.operation }, outcome.seconds);
    const fields = {
      status: outcome.status,
      operation: outcome.operation,
      method: outcome.method,
      durationMs: Math.round(outcome.seconds * 1e4) / 10,
      requestId: outcome.requestId,
      ...traceForLog(outcome.traceparent),
      ...(outcome.account === undefined ? {} : { account: outcome.account }),
    };
    // A pending request is accepted, and continues.
    if (outcome.status >= 500 && !(outcome.error instanceof PendingError))
      logger.warn({ ...fields, err: outcome.error }, 'request failed');
    else logger.info(fields, 'request');
  };
}
