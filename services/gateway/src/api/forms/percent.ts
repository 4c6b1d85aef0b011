const digits = new Int8Array(256).fill(-1);
for (const [i, character] of [...'0123456789abcdef'].entries()) {
  digits[character.charCodeAt(0)] = i;
  digits[character.toUpperCase().charCodeAt(0)] = i;
}

/** Decodes `+` and `%XX` of application/x-www-form-urlencoded bytes; undefined when an escape is broken. */
export function decodeUrlencoded(bytes: Buffer): Buffer | undefined {
  if (!bytes.includes(0x25) && !bytes.includes(0x2b)) return bytes;
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === 0x2b) decoded[length++] = 0x20;
    else if (byte !== 0x25) decoded[length++] = byte;
    else {
      const high = digits[bytes[i + 1] ?? 0] as number;
      const low = digits[bytes[i + 2] ?? 0] as number;
      if (high < 0 || low < 0) return undefined;
      decoded[length++] = high * 16 + low;
      i += 2;
    }
  }
  return decoded.subarray(0, length);
}
