import { parseInteger } from '../../decisions/field-values.ts';
import { defaultWindowSeconds, maxWindowSeconds } from '../../decisions/read-stamp-form.ts';
import { invalid } from '../../errors/http-error.ts';
import type { BatchRequest } from '../../use-cases/batching/ports.ts';
import { maxLineBytes } from '../../use-cases/batching/take-lines.ts';
import { type Handler, JsonStream } from '../edge/call.ts';

const headers = { 'Content-Type': 'application/x-ndjson; charset=utf-8' };

/**
 * POST /stamps/batch: lines stream in and their results stream out. The first result fixes the status; earlier errors
 * are ordinary responses.
 */
export function createStampsBatchRoute(options: {
  readonly maxLines: number;
  readonly stampBatch: (request: BatchRequest) => AsyncGenerator<Buffer, void, undefined>;
}): Handler {
  const { maxLines } = options;
  return async (call) => {
    const results = options.stampBatch({
      account: call.account,
      windowSeconds: windowOf(call.query.idempotency_window),
      maxLines,
      // Lines end with one byte or two.
      body: (rests) => call.body(maxLines * (maxLineBytes + 2), rests),
      allow: call.allow,
      gone: call.gone,
      trace: call.trace,
    });
    const first = await results.next();
    return {
      status: 200,
      body: new JsonStream(first.done === true ? results : withFirst(first.value, results)),
      headers,
    };
  };
}

function windowOf(given: string | undefined): number {
  if (given === undefined) return defaultWindowSeconds;
  const seconds = parseInteger(given, 0, maxWindowSeconds);
  if (seconds === undefined) throw invalid('idempotency_window', `must be an integer from 0 to ${maxWindowSeconds}`);
  return seconds;
}

async function* withFirst(first: Buffer, others: AsyncGenerator<Buffer, void, undefined>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* others;
  } finally {
    await others.return();
  }
}
