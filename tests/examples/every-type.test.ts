import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { type CloudEvent, Kafka } from 'cloudevents';
import { type EveryType, everyType, publishEveryType } from './support/every-type.ts';

jest.setTimeout(120_000);

let published: EveryType;
beforeAll(async () => {
  published = await publishEveryType();
}, 120_000);
afterAll(() => published?.stop(), 60_000);

describe('every type of event', () => {
  it('is read from the topic by the CloudEvents SDK for JavaScript, and fits the schema that its dataschema serves', async () => {
    const types = new Set<string>();
    for (const { key, headers, value } of published.records) {
      const event = Kafka.toEvent({ key, headers, value, body: undefined } as never) as CloudEvent<unknown>;
      expect(event.validate()).toBe(true);
      const schema = await fetch(event.dataschema as string);
      expect([event.type, schema.status]).toEqual([event.type, 200]);
      const fits = new Ajv({ strict: true, allErrors: true }).compile((await schema.json()) as object);
      expect([event.type, fits(event.data), fits.errors]).toEqual([event.type, true, null]);
      types.add(event.type);
    }
    expect([...types].sort()).toEqual(everyType);
  });
});

describe('the first consumer of docs/events.md', () => {
  let child: ChildProcess;
  afterAll(() => {
    child?.kill('SIGKILL');
  });

  it('prints every event, as it stands there', async () => {
    const root = resolve(import.meta.dirname, '../..');
    const document = await readFile(resolve(root, 'docs/events.md'), 'utf8');
    const [, program = ''] = /```js\n(.*?)```/s.exec(document) ?? [];
    const [broker = ''] = published.brokers.split(',');
    const here = program
      .replace('127.0.0.1:9092', broker)
      .replace('example.first', `${published.group}.first`)
      .replace('indelible.stamps.v1', published.topic);
    child = spawn(process.execPath, ['--input-type=module', '-e', here], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const lines = published.records.map(
      ({ headers }) => `${headers.ce_sequence} ${headers.ce_type} of ${headers.ce_subject} {`,
    );
    await eventually(() => expect(lines.filter((line) => !printed.includes(line))).toEqual([]), { timeoutMs: 60_000 });
  });
});
