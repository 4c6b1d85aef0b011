import { keepSecret } from '@indelible/service-runtime';

/** A seed or a private key: from here on its hex is in no line of this process, in either case, with `0x` or without (I10). */
export function keepKey(key: Uint8Array): void {
  const hex = Buffer.from(key).toString('hex');
  keepSecret([hex, hex.toUpperCase()]);
}
