import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { takeSchemas } from './take-schema.ts';

it('ends in time when what is listed cannot be found, however often it looks', async () => {
  const listed = { kind: 'table', name: 'storage.files', oid: 1, owner: 'former', mayTake: true };
  const query = async (statement: string) => {
    await setImmediate();
    if (statement.startsWith('alter')) throw Object.assign(new Error('does not exist'), { code: '42P01' });
    return { rows: statement.startsWith('set') ? [] : [listed] };
  };
  const session = { query } as unknown as Parameters<typeof takeSchemas>[0];
  await expect(takeSchemas(session, [{ schema: 'storage', owner: 'storage' }], 0)).rejects.toMatchObject({
    reason: 'in use',
    message: expect.stringContaining('storage.files is listed and cannot be found'),
  });
});
