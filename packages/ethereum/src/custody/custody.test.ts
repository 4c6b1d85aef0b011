import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { getAddress, HDNodeWallet, Mnemonic, TypedDataEncoder, verifyTypedData } from 'ethers';
import fc from 'fast-check';
import { createOperatorKeys } from './operator-keys.ts';
import { refuseOperatorSeed } from './refuse-operator-seed.ts';
import { createSeedCustody, createSeedLanes } from './seed-signers.ts';
import { signDigestWithKey } from './sign-digest.ts';
import { hashTypedData, type TypedData } from './typed-data.ts';

const mnemonic = 'test test test test test test test test test test test junk';
const contract = '0x00000000000000000000000000000000000c0de1';
const grant: TypedData = {
  domain: { name: 'CommitmentService', version: '1', chainId: 31337, verifyingContract: contract },
  types: {
    Grant: [
      { name: 'delegate', type: 'address' },
      { name: 'nonce', type: 'uint256' },
    ],
  },
  primaryType: 'Grant',
  message: { delegate: '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359', nonce: 7n },
};
const ethersTypes = ({ types }: TypedData): Record<string, { name: string; type: string }[]> =>
  Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))]));

describe('seed custody', () => {
  it('derives the addresses ethers derives from the same words', async () => {
    const custody = createSeedCustody({ mnemonic });
    const root = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic), "m/44'/60'/0'/0");
    expect(await custody.address(0)).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
    for (const index of [0, 1, 2, 1000, 2 ** 31 - 1])
      expect(getAddress(await custody.address(index))).toBe(root.deriveChild(index).address);
  });
  it('derives the addresses ethers derives from the same seed, and reads a passphrase', async () => {
    const seed = randomBytes(32);
    const root = HDNodeWallet.fromSeed(seed).derivePath("m/44'/60'/0'/0");
    expect(getAddress(await createSeedCustody({ seed }).address(3))).toBe(root.deriveChild(3).address);
    const guarded = HDNodeWallet.fromPhrase(mnemonic, 'sesame', "m/44'/60'/0'/0/5");
    expect(getAddress(await createSeedCustody({ mnemonic, passphrase: 'sesame' }).address(5))).toBe(guarded.address);
  });
  it("signs typed data with ethers' very signature, which recovers to the address", async () => {
    const custody = createSeedCustody({ mnemonic });
    const wallet = HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(mnemonic), "m/44'/60'/0'/0/4");
    const { domain, message } = grant;
    const signature = await custody.signTypedData(4, grant);
    expect(signature).toBe(await wallet.signTypedData(domain, ethersTypes(grant), message));
    expect(verifyTypedData(domain, ethersTypes(grant), message, signature)).toBe(wallet.address);
  });
  it('refuses an index out of range, a digest of another length and words that are none', async () => {
    const custody = createSeedCustody({ mnemonic });
    for (const index of [-1, 0.5, 2 ** 31, Number.NaN])
      await expect(custody.address(index)).rejects.toThrow(RangeError);
    await expect(custody.signDigest(0, '0x1234')).rejects.toThrow(TypeError);
    expect(() => createSeedCustody({ mnemonic: 'test test junk' })).toThrow('the mnemonic is not valid');
    expect(() => createSeedCustody({ seed: new Uint8Array(8) })).toThrow(TypeError);
  });
});

describe('operator keys', () => {
  it('lie at the documented paths, as ethers derives them', () => {
    const seed = randomBytes(32);
    const { operator, lane } = createOperatorKeys({ seed });
    const root = HDNodeWallet.fromSeed(seed);
    const oracle = root.derivePath("m/44'/60'/0'/0/0");
    expect(getAddress(operator.address)).toBe(oracle.address);
    expect(`0x${Buffer.from(operator.privateKey).toString('hex')}`).toBe(oracle.privateKey);
    for (const index of [0, 1, 7])
      expect(getAddress(lane(index).address)).toBe(root.derivePath(`m/44'/60'/1'/0/${index}`).address);
  });
  it('of lanes sign without the operator: the same addresses and signatures from the seed of lanes', async () => {
    const seed = randomBytes(32);
    const { lane } = createOperatorKeys({ seed });
    const signer = createSeedLanes({ seed });
    for (const index of [0, 5, 5, 80]) {
      expect(await signer.address(index)).toBe(lane(index).address);
      const digest = hashTypedData(grant);
      expect(await signer.signDigest(index, digest)).toBe(signDigestWithKey(lane(index).privateKey, digest));
    }
  });
});

describe("custody's seed", () => {
  it("is refused when it is the operator's, in one line without the seed; another is not (I10)", async () => {
    const [seed, other] = [randomBytes(32), randomBytes(32)];
    const { operator } = createOperatorKeys({ seed });
    const refusal = await refuseOperatorSeed(createSeedCustody({ seed }), getAddress(operator.address) as `0x${string}`)
      .then(() => '')
      .catch(({ message }: Error) => message);
    expect(refusal).toMatch(/CUSTODY_SEED or CUSTODY_SEED_FILE: it is the operator's seed \(OPERATOR_ADDRESS\)/);
    expect(refusal).not.toContain(seed.toString('hex'));
    await refuseOperatorSeed(createSeedCustody({ seed: other }), operator.address);
  });
});

describe('typed data', () => {
  it('hashes as ethers does, for every elementary type and any subset of the domain', () => {
    const bytes = (length: number) =>
      fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((b) => `0x${Buffer.from(b).toString('hex')}` as const);
    const domain = fc.record(
      {
        name: fc.string({ unit: 'grapheme' }),
        version: fc.string(),
        chainId: fc.bigInt(1n, 2n ** 64n),
        verifyingContract: bytes(20),
        salt: bytes(32),
      },
      { requiredKeys: [] },
    );
    const message = fc.record({
      who: bytes(20),
      count: fc.bigInt(0n, 2n ** 256n - 1n),
      small: fc.integer({ min: 0, max: 255 }),
      tag: bytes(4),
      cid: bytes(32),
      text: fc.string({ unit: 'grapheme' }),
      blob: bytes(7),
      flag: fc.boolean(),
    });
    const types = {
      Thing: [
        { name: 'who', type: 'address' },
        { name: 'count', type: 'uint256' },
        { name: 'small', type: 'uint8' },
        { name: 'tag', type: 'bytes4' },
        { name: 'cid', type: 'bytes32' },
        { name: 'text', type: 'string' },
        { name: 'blob', type: 'bytes' },
        { name: 'flag', type: 'bool' },
      ],
    };
    fc.assert(
      fc.property(domain, message, (someDomain, someMessage) => {
        const typed = { domain: someDomain, types, primaryType: 'Thing', message: someMessage } as TypedData;
        expect(hashTypedData(typed)).toBe(TypedDataEncoder.hash(someDomain, types, someMessage));
      }),
      { numRuns: 60 },
    );
  });
  it('refuses values that do not fit, and types it does not know', () => {
    const withField = (type: string, value: unknown): TypedData => ({
      domain: {},
      types: { T: [{ name: 'x', type }] },
      primaryType: 'T',
      message: { x: value },
    });
    for (const [type, value] of [
      ['uint8', 256],
      ['uint256', -1],
      ['uint256', '7'],
      ['uint256', 0.5],
      ['address', '0x12'],
      ['bytes4', '0x0102030405'],
      ['bool', 'true'],
      ['string', undefined],
      ['uint256[]', [1]],
      ['Other', {}],
    ] as const)
      expect(() => hashTypedData(withField(type, value))).toThrow(TypeError);
  });
});
