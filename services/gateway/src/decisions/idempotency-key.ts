import { createHash } from 'node:crypto';
import type { Hex } from '@indelible/identifiers';
import { parseBoolean } from './field-values.ts';
import type { StampForm, StampFormInput } from './read-stamp-form.ts';

/** A valid `Idempotency-Key` has 1 to 255 printable ASCII characters. */
export const isIdempotencyKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text);

/**
 * Equal for equal requests: SHA-256 of every field's meaning (with defaults, and booleans in any spelling) and of the
 * content's CID. `Prefer` is not included.
 */
export function fingerprintOf({ texts, data, file }: StampFormInput, form: StampForm): Buffer {
  const flag = (field: string): boolean | undefined => parseBoolean(texts.get(field) ?? 'true');
  const { set } = form;
  const canonical = [
    'stamp 1',
    form.objectCid,
    file === undefined ? null : file.name,
    data !== undefined,
    texts.has('data_cid'),
    texts.get('file_name') ?? null,
    set.kind === 'none' ? null : set.kind === 'named' ? ['name', set.name] : ['cid', set.cid],
    flag('store_stamped_file'),
    flag('idempotent'),
    Number(texts.get('idempotency_window') ?? 3_600),
  ];
  return createHash('sha256').update(JSON.stringify(canonical)).digest();
}

/**
 * The command id of a request under a key: the same for every attempt, process and replica, so that stamping's inbox
 * accepts it once (I5).
 * @param generation of the key's row: changes after the key was deleted
 * @returns a UUID of version 8
 */
export function commandIdOf(account: Hex, key: string, generation: string, fingerprint: Buffer): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([account, key, generation, fingerprint.toString('hex')]))
    .digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x80;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
