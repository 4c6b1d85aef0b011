import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';

describe('a log', () => {
  it('carries no secret, wherever one was put by mistake (I10)', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
    logger.info({ authorization: 'Bearer hush', request: { apiKey: 'hush' }, requestId: 'r1' }, 'asked');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hush');
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      service: 'test',
      level: 'info',
      message: 'asked',
      requestId: 'r1',
    });
  });
  it('names the causes of an error', () => {
    const lines: string[] = [];
    const logger = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
    logger.error({ error: new Error('outer', { cause: new TypeError('inner') }) }, 'failed');
    expect(JSON.parse(lines[0] as string).error).toMatchObject({ message: 'outer', causes: ['TypeError: inner'] });
  });
});
