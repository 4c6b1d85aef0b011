import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { createAsyncApi, defaultOrigin } from '../src/documents/async-api.ts';
import { webhooksOnly } from '../src/documents/channel-texts.ts';
import { ceTypeOf, type PublicEventType } from '../src/public-event.ts';
import { describedEventTypes, publicEventTypes } from '../src/types.ts';

type Message = { headers?: object; payload: object; examples: { headers?: object; payload: object }[] };

const committed = () => readFile(join(import.meta.dirname, '../generated/asyncapi.json'), 'utf8');

describe('the AsyncAPI document', () => {
  it.each([
    ['as committed', committed],
    [
      'behind a proxy with a path of its own',
      async () => JSON.stringify(createAsyncApi({ ...defaultOrigin, publicUrl: 'https://example.com/stamps' })),
    ],
  ])('%s is one that the official parser finds nothing wrong with', async (_, text) => {
    const { document, diagnostics } = await new Parser().parse(await text());
    // What remains is advice, such as that 3.1 is newer.
    const faults = diagnostics.filter(({ severity }) => severity <= 1);
    expect(faults.map(({ code, message, path }) => [code, message, path.join('.')])).toEqual([]);
    expect(document?.version()).toBe('3.0.0');
    expect(
      document
        ?.channels()
        .all()
        .map((channel) => channel.id()),
    ).toEqual(['topic', 'stream', 'webhook']);
    expect(document?.operations().filterBySend()).toHaveLength(3);
    const namesOf = (types: readonly PublicEventType[]) => types.map(ceTypeOf).sort();
    for (const channel of document!.channels().all())
      expect([
        channel.id(),
        channel
          .messages()
          .all()
          .map((message) => message.name())
          .sort(),
      ]).toEqual([channel.id(), namesOf(channel.id() === 'webhook' ? describedEventTypes : publicEventTypes)]);
  });

  it('has for every message an example that fits headers and payload', async () => {
    const { components } = JSON.parse(await committed()) as {
      components: { messages: Record<string, Message>; messageTraits: Record<string, { headers: object }> };
    };
    const ajv = formats.default(new Ajv({ strict: false, allErrors: true }));
    const check = (schema: object, value: unknown) => {
      const fits = ajv.compile({ ...schema, components });
      return [fits(value), fits.errors];
    };
    const binary = components.messageTraits.cloudEventInBinaryMode!;
    expect(Object.keys(components.messages)).toHaveLength(publicEventTypes.length + describedEventTypes.length);
    for (const [name, { payload, examples }] of Object.entries(components.messages)) {
      const [example] = examples;
      expect([name, ...check({ allOf: [payload] }, example?.payload)]).toEqual([name, true, null]);
      if (!name.endsWith('.json'))
        expect([name, ...check(binary.headers, example?.headers)]).toEqual([name, true, null]);
    }
  });

  it('says of a test event that webhooks alone get it, as its page does', async () => {
    const { components } = JSON.parse(await committed()) as { components: { messages: Record<string, object> } };
    expect(components.messages).toMatchObject({ 'webhook.test.v1.json': { description: webhooksOnly } });
    const page = await readFile(join(import.meta.dirname, '../../../docs/events/webhook.test.v1.md'), 'utf8');
    expect(page).toContain(webhooksOnly);
    expect(page).not.toMatch(/^## On the Kafka topic/m);
  });
});
