import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../logger.ts';
import { createOutageLog, reasonOf } from './outage-log.ts';

function outageLog() {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger(
    { service: 'test', level: 'info' },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  let now = 0;
  const outage = createOutageLog({ logger, waitingFor: 'Kafka at kafka:9092 (KAFKA_BROKERS)', now: () => now });
  return { lines, outage, wait: (ms: number) => (now += ms) };
}

describe('an outage', () => {
  it('is one warning, then a line a minute with how long, and a line when it is over', () => {
    const { lines, outage, wait } = outageLog();
    for (let second = 0; second < 150; second++) {
      outage.failed(new Error('connect ECONNREFUSED'));
      wait(1_000);
    }
    outage.ended();
    outage.ended();
    expect(lines.map(({ level, message, seconds }) => [level, message, seconds])).toEqual([
      ['warn', 'waiting for Kafka at kafka:9092 (KAFKA_BROKERS)', undefined],
      ['warn', 'still waiting for Kafka at kafka:9092 (KAFKA_BROKERS)', 60],
      ['warn', 'still waiting for Kafka at kafka:9092 (KAFKA_BROKERS)', 120],
      ['info', 'reached Kafka at kafka:9092 (KAFKA_BROKERS)', 150],
    ]);
    expect(JSON.stringify(lines)).not.toContain('stack');
  });

  it('is not mentioned when there was none', () => {
    const { lines, outage } = outageLog();
    outage.ended();
    expect(lines).toEqual([]);
  });

  it('has its reason in one line, also where Node keeps it in a cause or a group', () => {
    expect(reasonOf(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }))).toBe(
      'connect ECONNREFUSED',
    );
    expect(reasonOf(new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]))).toBe(
      '::1 refused; 127.0.0.1 refused',
    );
  });
});
