import { randomUUID } from 'node:crypto';
import { createMessageBus, type MessageBus, type PublicSubject } from '@indelible/kafka';
import { testKafka } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { publicSchemas } from '../src/json-schemas.ts';

jest.setTimeout(120_000);

const kafka = testKafka();
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
let bus: MessageBus;
beforeAll(() => {
  bus = createMessageBus({
    brokers: kafka.brokers,
    schemaRegistryUrl: kafka.schemaRegistryUrl,
    clientId: 'test',
    source: 'test',
    topicPrefix: kafka.prefix,
    logger: silent,
  });
});
afterAll(() => kafka.dispose());

const register = (...publicSubjects: PublicSubject[]) => bus.provision({ contracts: [], publicSubjects });

describe('the schema of a public event', () => {
  it('cannot lose, add or change what others rely on: the registry refuses it', async () => {
    const { schema } = publicSchemas.find(({ fileName }) => fileName.startsWith('stamp.confirmed'))!;
    const { required, properties } = schema as { required: string[]; properties: Record<string, object> };
    const changes: Record<string, object> = {
      'a required field more': {
        ...schema,
        required: [...required, 'more'],
        properties: { ...properties, more: { type: 'string' } },
      },
      'a field no longer required': { ...schema, required: required.slice(1) },
      'another type': { ...schema, properties: { ...properties, stamp_id: { type: 'integer' } } },
    };
    const subject = `test.${randomUUID()}`;
    await register({ subject, schema });
    for (const [what, changed] of Object.entries(changes)) {
      const outcome = await register({ subject, schema: changed }).then(
        () => 'taken',
        (error: Error) => error.name,
      );
      expect([what, outcome]).toEqual([what, 'MessageInvalidError']);
    }
  });
});
