import { randomBytes } from 'node:crypto';
import { type TestKms, testKms } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { computeAddress, recoverAddress, verifyTypedData, Wallet } from 'ethers';
import { openKmsSigner, SignerError } from '../src/custody.ts';

type Signer = Awaited<ReturnType<typeof openKmsSigner>>;
const privateKey = randomBytes(32);
const address = computeAddress(`0x${privateKey.toString('hex')}`).toLowerCase();
const digestOf = (byte: number): `0x${string}` => `0x${byte.toString(16).padStart(2, '0').repeat(32)}`;

let kms: TestKms;
let signer: Signer;
const before = { ...process.env };
beforeAll(async () => {
  kms = await testKms();
  kms.createKey('alias/lane-0', privateKey);
  kms.createKey('alias/moved');
  kms.createForeignKey('alias/p256');
  Object.assign(process.env, kms.environment);
  signer = await openKmsSigner({
    keys: ['alias/lane-0', 'alias/moved', 'alias/p256', 'alias/none'],
    timeoutMs: 1_000,
  });
});
afterAll(async () => {
  signer.close();
  await kms.stop();
  process.env = before;
});

const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof SignerError ? [error.fault, error.retryable] : error),
  );

describe('a key of AWS KMS', () => {
  it('has the address of its public key, and signs so that ecrecover finds it: low s, v 27 or 28, whatever KMS made', async () => {
    expect(await signer.address(0)).toBe(address);
    for (let byte = 0; byte < 64; byte++) {
      const signature = await signer.signDigest(0, digestOf(byte));
      // ethers refuses a high s.
      expect(recoverAddress(digestOf(byte), signature).toLowerCase()).toBe(address);
      expect(['1b', '1c']).toContain(signature.slice(130));
    }
  });

  it('signs typed data as ethers verifies it', async () => {
    const domain = {
      name: 'CommitmentService',
      version: '1',
      chainId: 1,
      verifyingContract: Wallet.createRandom().address,
    };
    const types = {
      Lane: [
        { name: 'operator', type: 'address' },
        { name: 'nonce', type: 'uint256' },
      ],
    };
    const message = { operator: `0x${'11'.repeat(20)}`, nonce: 0n };
    const typed = {
      domain: { ...domain, verifyingContract: domain.verifyingContract as `0x${string}` },
      types,
      primaryType: 'Lane',
      message,
    };
    expect(verifyTypedData(domain, types, message, await signer.signTypedData(0, typed)).toLowerCase()).toBe(address);
  });

  it('requests the public key once, and each signature once', async () => {
    await signer.address(0);
    const { GetPublicKey, Sign } = kms.requests;
    await signer.signDigest(0, digestOf(1));
    expect(kms.requests).toEqual({ GetPublicKey, Sign: Sign + 1 });
  });

  it('is refused when it is on another curve, or there is none', async () => {
    expect(await faultOf(signer.address(2))).toEqual(['refused', false]);
    expect(await faultOf(signer.address(3))).toEqual(['refused', false]);
    await expect(signer.address(4)).rejects.toThrow(RangeError);
  });

  it('whose alias moved signs nothing: a signature of another key is refused', async () => {
    await signer.address(1);
    kms.createKey('alias/moved');
    expect(await faultOf(signer.signDigest(1, digestOf(1)))).toEqual(['refused', false]);
  });
});

describe('AWS KMS in trouble', () => {
  it.each([
    ['ThrottlingException', 'throttled', true],
    ['KMSInternalException', 'unavailable', true],
    ['gone', 'unavailable', true],
    ['silent', 'unavailable', true],
    ['DisabledException', 'refused', false],
    ['AccessDeniedException', 'refused', false],
  ] as const)(
    '%s: the signature is %s, in bounded time, and made when it is well again',
    async (mood, fault, retryable) => {
      await signer.address(0);
      kms.become(mood);
      try {
        expect(await faultOf(signer.signDigest(0, digestOf(7)))).toEqual([fault, retryable]);
      } finally {
        kms.become('well');
      }
      expect(recoverAddress(digestOf(7), await signer.signDigest(0, digestOf(7))).toLowerCase()).toBe(address);
    },
  );
});
