import type { Logger } from '@indelible/service-runtime';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHeadWatch, type HeadWatch } from './head-watch.ts';

describe('createHeadWatch', () => {
  let now: number;
  let lines: string[];
  let watch: HeadWatch;
  let create: (blockTimeMs: number) => void;
  /** Checks every second. */
  const pass = (seconds: number): void => {
    for (let i = 0; i < seconds; i++) {
      now += 1_000;
      watch.check();
    }
  };
  beforeEach(() => {
    now = 5_000_000;
    lines = [];
    const line =
      (level: string) =>
      (fields: object, message: string): void => {
        const { seconds, endpoints } = fields as { seconds?: number; endpoints?: readonly string[] };
        lines.push(`${level} ${seconds} ${endpoints?.join() ?? '-'} ${message.split(':')[0]}`);
      };
    const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    create = (blockTimeMs) => {
      const hosts = () => ['node:8545'];
      watch = createHeadWatch({ logger: logger as unknown as Logger, blockTimeMs, hosts, now: () => now });
    };
    create(1_000);
  });

  it('warns once after 30 s, then once a minute, and logs its end once', () => {
    watch.announced({ number: 1 });
    watch.announced({ number: 2 });
    pass(29);
    expect(lines).toEqual([]);
    pass(120);
    expect(lines).toEqual(['warn 30 node:8545 No new block for 30 s', 'warn 90 node:8545 No new block for 90 s']);
    expect(watch.ageSeconds()).toBe(149);
    watch.announced({ number: 3 });
    watch.announced({ number: 4 });
    expect(lines.slice(2)).toEqual(['info 149 - New blocks are coming again']);
    expect(watch.ageSeconds()).toBe(0);
  });

  it('waits for ten blocks where they take long', () => {
    create(12_000);
    watch.announced({ number: 1 });
    pass(119);
    expect(lines).toEqual([]);
    pass(1);
    expect(lines).toHaveLength(1);
  });

  it('warns when there never was a block', () => {
    pass(31);
    expect(lines).toHaveLength(1);
  });
});
