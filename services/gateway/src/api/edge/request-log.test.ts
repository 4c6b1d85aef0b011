import { createLogger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { pending, unavailable } from '../../errors/http-error.ts';
import { createRequestLog } from './request-log.ts';

const line = (error: unknown): Record<string, unknown> => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'gateway', level: 'info' }, { write: (text) => void lines.push(text) });
  createRequestLog(
    logger,
    new Registry(),
  )({
    ...{ status: 503, operation: 'createStamp', method: 'POST', seconds: 6, requestId: 'r' },
    ...{ traceparent: undefined, account: '0x1', error },
  });
  return JSON.parse(lines[0] as string) as Record<string, unknown>;
};

describe('the line of a request that is answered 503', () => {
  it('is a warning with the reason when the request failed', () => {
    expect(line(unavailable('no broker'))).toMatchObject({
      ...{ level: 'warn', msg: 'request failed', operation: 'createStamp', status: 503, err: { message: 'no broker' } },
    });
  });

  it('is no warning when the request is accepted and continues', () => {
    const said = line(pending('the stamp is not confirmed yet', {}));
    expect(said).toMatchObject({ level: 'info', msg: 'request', status: 503 });
    expect(said).not.toHaveProperty('err');
  });
});
