import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { createAddress } from './create-address.ts';

const sender: Hex = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

describe('createAddress', () => {
  it.each([
    [sender, 0, '0x5fbdb2315678afecb367f032d93f642f64180aa3'],
    [sender, 1, '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512'],
    [sender, 127, '0x5fc748f1feb28d7b76fa1c6b07d8ba2d5535177c'],
    [sender, 128, '0xb82008565fdc7e44609fa118a4a681e92581e680'],
    [sender, 70_000, '0x3808bbf68110240e59b12334b301d8f31ab36363'],
  ] as const)('is that of the transaction: %s, nonce %i', (from, nonce, address) => {
    expect(createAddress(from, nonce)).toBe(address);
  });
});
