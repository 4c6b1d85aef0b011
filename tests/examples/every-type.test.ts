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
