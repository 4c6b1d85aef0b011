const decimals = 18;

/** Wei of an amount in ether, such as `0.25`; undefined if invalid. */
export function weiOf(ether: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(ether) ?? [];
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** An amount in ether, exact, without trailing zeros. */
export function etherOf(wei: bigint): string {
  const digits = wei.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
}
