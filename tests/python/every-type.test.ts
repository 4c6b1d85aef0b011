import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { testPython } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type EveryType, everyType, publishEveryType } from '../examples/support/every-type.ts';

jest.setTimeout(120_000);

let published: EveryType;
beforeAll(async () => {
  published = await publishEveryType();
}, 120_000);
afterAll(() => published?.stop(), 60_000);

describe('every type of event', () => {
  it('is read from the topic by the CloudEvents SDK for Python, and fits the schema that its dataschema serves', async () => {
    const script = resolve(import.meta.dirname, 'support/read_events.py');
    const { brokers, group, topic, records } = published;
    const { stdout } = await promisify(execFile)(testPython(), [script, brokers, group, topic], { timeout: 90_000 });
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; type: string; faults: string[]; data: unknown });
    expect(events.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(everyType);
    const sent = new Map(records.map(({ headers, data }) => [headers.ce_id, data]));
    expect(new Map(events.map(({ id, data }) => [id, data]))).toEqual(sent);
  });
});
