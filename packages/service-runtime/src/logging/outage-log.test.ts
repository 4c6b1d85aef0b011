import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';
import { createOutageLog } from './outage-log.ts';

const kafka = 'Kafka at kafka:9092 (KAFKA_BROKERS)';

function outageLog() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(
    { service: 'test', level: 'info' },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  let now = 0;
  const outage = createOutageLog({ logger, waitingFor: kafka, now: () => now });
  return { lines, outage, wait: (ms: number) => (now += ms) };
}

describe('an outage', () => {
  it('is a warning, then a line at growing intervals with how long, and a line when it is over', () => {
    const { lines, outage, wait } = outageLog();
    for (let second = 0; second < 40 * 60; second++) {
      outage.failed(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      wait(1_000);
    }
    outage.ended();
    outage.ended();
    expect(lines.map(({ level, msg, seconds }) => [level, msg, seconds])).toEqual([
      ['warn', `waiting for ${kafka}`, undefined],
      ['warn', `waiting for ${kafka}, 1 min`, 60],
      ['warn', `waiting for ${kafka}, 3 min`, 180],
      ['warn', `waiting for ${kafka}, 10 min`, 600],
      ['warn', `waiting for ${kafka}, 20 min`, 1_200],
      ['warn', `waiting for ${kafka}, 30 min`, 1_800],
      ['info', `reached ${kafka}`, 2_400],
    ]);
    expect(lines[0]).toMatchObject({ err: { message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' } });
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('of hours is given in hours', () => {
    const { lines, outage, wait } = outageLog();
    outage.failed(new Error('no answer'));
    wait(7 * 3_600_000);
    outage.failed(new Error('no answer'));
    expect(lines[1]).toMatchObject({ msg: `waiting for ${kafka}, 7 h`, seconds: 25_200 });
  });

  it('is not mentioned when there was none', () => {
    const { lines, outage } = outageLog();
    outage.ended();
    expect(lines).toEqual([]);
  });
});
