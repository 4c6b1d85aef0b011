import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { newId } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import kafkajs from 'kafkajs';
import {
  accountOf,
  confirmed,
  finalized,
  hash,
  reverted,
  stampOf,
} from '../../../services/notifications/tests/support/messages.ts';
import {
  createSurroundings,
  distinct,
  type PublicRecord,
  type Surroundings,
} from '../../../services/notifications/tests/support/notifications.ts';

type Consumer = { readonly child: ChildProcess; readonly lines: readonly string[] };

const patience = { timeoutMs: 60_000 };
const run = promisify(execFile);

/** The behaviour of every example consumer: the same tests for each language, on the real topic. */
export function describeConsumer(language: string, program: () => string, args: readonly string[]): void {
  jest.setTimeout(180_000);

  describe(`the consumer in ${language}`, () => {
    let world: Surroundings;
    let folder: string;
    let consumer: Consumer;
    const topic = () => `${world.config.publicTopicPrefix}stamps.v1`;

    const start = (database = 'stamps.db'): Consumer => {
      const child = spawn(program(), args, {
        env: {
          ...process.env,
          KAFKA_BROKERS: world.kafka.brokers.join(','),
          TOPIC: topic(),
          GROUP: world.kafka.name('example'),
          DATABASE: join(folder, database),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        if (/^(handled|gap) /.test(line)) lines.push(line);
      });
      return { child, lines };
    };
    const end = async ({ child }: Consumer, signal: NodeJS.Signals) => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill(signal);
        await ended;
      }
      return child.exitCode;
    };
    const handledLines = (records: readonly PublicRecord[]) =>
      distinct(records).map(({ headers }) => `handled ${headers.ce_type} ${headers.ce_id} of ${headers.ce_subject}`);
    const receipts = async () => {
      const query = `const { DatabaseSync } = require('node:sqlite');
        const rows = new DatabaseSync(process.argv[1]).prepare('select stamp_id, final from receipts').all();
        console.log(JSON.stringify(rows))`;
      const { stdout } = await run(process.execPath, ['-e', query, join(folder, 'stamps.db')]);
      return JSON.parse(stdout) as { stamp_id: string; final: number }[];
    };
    /** Records as they are, to the topic itself. */
    const append = async (...records: { key: string; value: string; headers: Record<string, string> }[]) => {
      const client = new kafkajs.Kafka({ brokers: world.kafka.brokers, logLevel: kafkajs.logLevel.NOTHING });
      const producer = client.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
      await producer.connect();
      await producer.send({ topic: topic(), messages: records });
      await producer.disconnect();
    };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'indelible-consumer-'));
      world = await createSurroundings();
      await world.start();
      consumer = start();
    }, 120_000);
    afterAll(async () => {
      await end(consumer, 'SIGKILL');
      await world.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    it('handles every event, and a reorg takes back the receipt of a stamp until it is confirmed again (I4)', async () => {
      const [settled, taken] = [stampOf(), stampOf()];
      const [first, second] = [newId(), newId()];
      await world.publish(
        confirmed(first, settled),
        confirmed(first, taken),
        reverted(first, settled),
        reverted(first, taken),
        confirmed(second, settled, 'block 2'),
        finalized(second, [settled], 'block 2'),
      );
      await eventually(() => expect(distinct(world.records)).toHaveLength(9), patience);
      await eventually(() => expect([...consumer.lines].sort()).toEqual(handledLines(world.records).sort()), patience);
      expect(await receipts()).toEqual([{ stamp_id: settled.stampId, final: 1 }]);
    });

    it('handles what comes again, or while it is dead, once (I5)', async () => {
      const before = handledLines(world.records);
      await end(consumer, 'SIGKILL');
      const again = distinct(world.records).map(({ key, headers, data }) => ({
        key,
        headers: headers as Record<string, string>,
        value: JSON.stringify(data),
      }));
      await append(...again);
      const late = stampOf();
      await world.publish(confirmed(newId(), late));
      consumer = start();
      await eventually(
        () =>
          expect(consumer.lines.some((line) => line.includes(`confirmed.v1 `) && line.endsWith(late.stampId))).toBe(
            true,
          ),
        patience,
      );
      expect(consumer.lines.filter((line) => before.includes(line))).toEqual([]);
      expect(consumer.lines.filter((line) => line.startsWith('gap'))).toEqual([]);
    });

    it('reports a gap in the sequence of a collection', async () => {
      const stamp = stampOf({ account: accountOf('gap') });
      await world.publish(confirmed(newId(), stamp));
      const mine = () => distinct(world.records).filter(({ headers }) => headers.ce_subject === stamp.stampId);
      await eventually(() => expect(mine()).toHaveLength(2), patience);
      const { key, headers, data } = mine().at(-1)!;
      const later = { ...headers, ce_id: newId(), ce_sequence: '5' } as Record<string, string>;
      await append({ key, headers: later, value: JSON.stringify(data) });
      await eventually(() => expect(consumer.lines).toContain(`gap of 2 in ${key} after 2`), patience);
      expect(key).toContain(hash('Forest'));
    });

    it('ends cleanly: the next in its group goes on behind what was handled', async () => {
      expect(await end(consumer, 'SIGTERM')).toBe(0);
      const marker = stampOf({ account: accountOf('marker') });
      await world.publish(confirmed(newId(), marker));
      consumer = start('fresh.db');
      await eventually(() => expect(consumer.lines).toHaveLength(2), patience);
      for (const line of consumer.lines) expect(line).toMatch(new RegExp(`^handled .* of ${marker.stampId}$`));
    });
  });
}
