import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealingKey } from './sealing-keys.ts';

export type Sealer = {
  /** @param context where the value belongs (table and row, say): it opens only there */
  seal(text: string, context: string): Buffer;
  /**
   * @throws Error that names neither text nor key: its key is not configured, it was changed, or its context differs
   */
  open(sealed: Buffer, context: string): string;
  /** Whether the current key sealed it. If not, seal it again before its key is removed. */
  isCurrent(sealed: Buffer): boolean;
};

const cipher = 'aes-256-gcm';
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts texts at rest with AES-256-GCM. A sealed value is: format (1 byte), length of the key id (1 byte), id,
 * nonce, ciphertext, tag. All before the nonce is authenticated with the context.
 */
export function createSealer(keys: readonly SealingKey[]): Sealer {
  const [current] = keys;
  if (current === undefined) throw new TypeError('a sealer needs a key');
  return {
    seal(text, context) {
      const head = headOf(current.id);
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, current.key, nonce, { authTagLength: tagBytes });
      sealing.setAAD(Buffer.concat([head, Buffer.from(context)]));
      return Buffer.concat([head, nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    },
    open(sealed, context) {
      const id = idOf(sealed);
      const key = keys.find((known) => known.id === id)?.key;
      if (key === undefined) throw new Error(`sealed by the key ${JSON.stringify(id)}, which is not configured`);
      const head = headOf(id);
      const nonceEnd = head.length + nonceBytes;
      if (sealed.length < nonceEnd + tagBytes) throw new Error('the sealed value is too short');
      const opening = createDecipheriv(cipher, key, sealed.subarray(head.length, nonceEnd), {
        authTagLength: tagBytes,
      });
      opening.setAAD(Buffer.concat([head, Buffer.from(context)]));
      opening.setAuthTag(sealed.subarray(-tagBytes));
      try {
        return opening.update(sealed.subarray(nonceEnd, -tagBytes), undefined, 'utf8') + opening.final('utf8');
      } catch (cause) {
        throw new Error('the sealed value was changed, or is of another context', { cause });
      }
    },
    isCurrent: (sealed) => idOf(sealed) === current.id,
  };
}

const headOf = (id: string): Buffer => Buffer.from([format, id.length, ...Buffer.from(id)]);

function idOf(sealed: Buffer): string {
  const [version, length = 0] = sealed;
  if (version !== format || sealed.length < 2 + length) throw new Error('not a sealed value');
  return sealed.toString('latin1', 2, 2 + length);
}
