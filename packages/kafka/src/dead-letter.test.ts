import { describe, expect, it } from '@jest/globals';
import { fromDeadLetter, toDeadLetter } from './dead-letter.ts';

const record = {
  topic: 'events.stamps',
  partition: 1,
  offset: '5',
  key: Buffer.from('k'),
  value: Buffer.from('v'),
  headers: { ce_id: 'a', traceparent: 't' },
};
const fault = { groupId: 'g', error: new Error('x'.repeat(10_000)), attempts: 3, time: '2030-01-01T00:00:00.000Z' };

describe('a dead letter', () => {
  it('turns back into the record it was, with its own key and headers', () => {
    const letter = toDeadLetter(record, 'events.stamps.dead-letter', fault);
    expect(fromDeadLetter({ ...letter, partition: 0, offset: '0' }, 'events.stamps')).toEqual({
      topic: 'events.stamps',
      key: record.key,
      value: record.value,
      headers: record.headers,
    });
  });

  it('holds a bounded part of the error’s text', () => {
    const letter = toDeadLetter(record, 'events.stamps.dead-letter', fault);
    expect(letter.headers['x-dead-letter-error-message']).toHaveLength(500);
  });

  it('is not published to another topic than its own', () => {
    const letter = toDeadLetter(record, 'events.stamps.dead-letter', fault);
    expect(() => fromDeadLetter({ ...letter, partition: 0, offset: '0' }, 'events.files')).toThrow(
      'not a dead letter of this topic',
    );
  });
});
