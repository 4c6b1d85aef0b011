/** A key of AES-256 under the id by which sealed values name it. */
export type SealingKey = { readonly id: string; readonly key: Buffer };

const keyBytes = 32;
const idShape = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Reads `id:base64,id2:base64`: the first key seals, all open. `faults` has one for each invalid entry, by number,
 * since an entry's text may be a key; without faults there is at least one key.
 */
export function parseSealingKeys(text: string): { readonly keys: SealingKey[]; readonly faults: string[] } {
  const keys: SealingKey[] = [];
  const faults: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', encoded = '', ...rest] = entry.trim().split(':');
    const key = Buffer.from(encoded, 'base64');
    const fault = (what: string) => void faults.push(`key ${index + 1} ${what}`);
    if (rest.length > 0 || encoded === '') fault('must be written id:base64');
    else if (!idShape.test(id)) fault('must have an id of 1 to 32 letters, digits, - and _');
    else if (key.length !== keyBytes || key.toString('base64') !== encoded)
      fault(`must be base64 of ${keyBytes} bytes`);
    else if (keys.some((known) => known.id === id)) fault('has the id of another');
    else keys.push({ id, key });
  }
  return { keys, faults };
}
