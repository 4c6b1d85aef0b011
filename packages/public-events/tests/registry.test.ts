import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { publicSchemas } from '../src/json-schemas.ts';
import { testRegistry } from './support/test-registry.ts';

jest.setTimeout(120_000);

const { register, dispose } = testRegistry();
afterAll(dispose);

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
