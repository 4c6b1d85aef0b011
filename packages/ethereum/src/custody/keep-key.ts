import { keepSecret } from '@indelible/service-runtime';

/** Keeps the hex of a seed or private key out of this process' logs, in either case, with or without `0x` (I10). */
export function keepKey(key: Uint8Array): void {
  const hex = Buffer.from(key).toString('hex');
  keepSecret([hex, hex.toUpperCase()]);
}
