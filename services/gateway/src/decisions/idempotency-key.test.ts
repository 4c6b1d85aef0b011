import { cidOfContent } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { isFault } from './field-values.ts';
import { commandIdOf, fingerprintOf, isIdempotencyKey } from './idempotency-key.ts';
import { readStampForm, type StampFormInput } from './read-stamp-form.ts';

const cid = cidOfContent('content');

function fingerprint(texts: Record<string, string>, more: Partial<StampFormInput> = {}): string {
  const input = { texts: new Map(Object.entries(texts)), data: undefined, file: undefined, ...more };
  const form = readStampForm(input);
  if (isFault(form)) throw new Error(form.fault);
  return fingerprintOf(input, form).toString('hex');
}

describe('an idempotency key', () => {
  it('has 1 to 255 printable ASCII characters', () => {
    for (const good of ['a', ' ~', 'x'.repeat(255)]) expect(isIdempotencyKey(good)).toBe(true);
    for (const bad of ['', 'x'.repeat(256), 'é', 'a\tb', '\x7f', 'a\nb']) expect(isIdempotencyKey(bad)).toBe(false);
  });
});

describe('the fingerprint of a request', () => {
  const plain = { data_cid: cid };

  it('is the same however the same meaning is written', () => {
    const written = {
      data_cid: cid.toUpperCase().replace('0X', '0x'),
      store_stamped_file: 'TRUE',
      idempotent: '1',
      idempotency_window: '03600',
    };
    expect(fingerprint(written)).toBe(fingerprint(plain));
    expect(fingerprint({ ...plain, collection_name: ' A ' })).toBe(fingerprint({ ...plain, collection_name: 'A' }));
  });

  it('is another with any other field, content or name', () => {
    const others = [
      fingerprint(plain),
      fingerprint({ data_cid: cidOfContent('other') }),
      fingerprint({ ...plain, idempotent: 'false' }),
      fingerprint({ ...plain, idempotency_window: '60' }),
      fingerprint({ ...plain, store_stamped_file: 'false' }),
      fingerprint({ ...plain, file_name: 'a.txt' }),
      fingerprint({ ...plain, collection_name: 'A' }),
      fingerprint({ ...plain, collection_cid: cid }),
      fingerprint({}, { file: { cid, name: 'a.txt' } }),
      fingerprint({}, { file: { cid, name: 'b.txt' } }),
      fingerprint({}, { data: { cid, size: 7 } }),
      fingerprint(plain, { data: { cid, size: 7 } }),
    ];
    expect(new Set(others).size).toBe(others.length);
  });
});

describe('the command of a request under a key (I5)', () => {
  const account = `0x${'aa'.repeat(20)}` as const;
  const print = Buffer.alloc(32, 1);

  it('has one id for every attempt, and another for another account, key, generation or request', () => {
    const id = commandIdOf(account, 'k', 'g', print);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(commandIdOf(account, 'k', 'g', Buffer.from(print))).toBe(id);
    const others = [
      commandIdOf(`0x${'bb'.repeat(20)}`, 'k', 'g', print),
      commandIdOf(account, 'l', 'g', print),
      commandIdOf(account, 'k', 'h', print),
      commandIdOf(account, 'k', 'g', Buffer.alloc(32, 2)),
    ];
    expect(new Set([id, ...others]).size).toBe(5);
  });
});
