import type { Hex } from '@indelible/identifiers';
import { pointOfSpki, recoverableOfDer } from './key-formats.ts';
import { signerErrorOf } from './kms-errors.ts';
import { addressOfPoint, bytesOfDigest, recoverableSignature } from './sign-digest.ts';
import { SignerError, type SignerPort } from './signer-port.ts';
import { hashTypedData } from './typed-data.ts';

/**
 * Keys of AWS KMS (`ECC_SECG_P256K1`, for signing), by index: an id, an ARN or an alias. Region, credentials and
 * endpoint are AWS's own (`AWS_REGION`, `AWS_ENDPOINT_URL_KMS` and so on). The private key never leaves KMS; each
 * signature is one request, and checked against the public key before it is returned.
 * @param timeoutMs how long a call takes at most, whatever KMS does
 */
export async function openKmsSigner(options: {
  readonly keys: readonly string[];
  readonly timeoutMs: number;
}): Promise<SignerPort & { close(): void }> {
  // Loaded only when used: it takes half a second.
  const { GetPublicKeyCommand, KMSClient, SignCommand } = await import('@aws-sdk/client-kms');
  const client = new KMSClient({
    maxAttempts: 2,
    requestHandler: { connectionTimeout: options.timeoutMs, requestTimeout: options.timeoutMs },
  });
  const points = new Map<string, Uint8Array>();

  async function ask<Answer>(keyId: string, send: (abortSignal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    try {
      return await send(AbortSignal.timeout(options.timeoutMs));
    } catch (error) {
      throw signerErrorOf(error, keyId);
    }
  }

  function keyAt(index: number): string {
    const key = options.keys[index];
    if (key === undefined) throw new RangeError(`there are ${options.keys.length} keys`);
    return key;
  }

  async function pointOf(keyId: string): Promise<Uint8Array> {
    const known = points.get(keyId);
    if (known !== undefined) return known;
    const { PublicKey, KeyUsage } = await ask(keyId, (abortSignal) =>
      client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
    );
    const point = PublicKey === undefined ? undefined : pointOfSpki(PublicKey);
    if (point === undefined || KeyUsage !== 'SIGN_VERIFY')
      throw new SignerError('refused', `key ${keyId} of AWS KMS is not for signing with ECC_SECG_P256K1`);
    points.set(keyId, point);
    return point;
  }

  async function signDigest(index: number, digest: Hex): Promise<Hex> {
    const message = bytesOfDigest(digest);
    const keyId = keyAt(index);
    const point = await pointOf(keyId);
    // The name only gives the digest's length: KMS signs the 32 bytes as they are.
    const command = {
      KeyId: keyId,
      Message: message,
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    } as const;
    const { Signature } = await ask(keyId, (abortSignal) => client.send(new SignCommand(command), { abortSignal }));
    const signed = Signature === undefined ? undefined : recoverableOfDer(Signature, message, point);
    if (signed === undefined)
      throw new SignerError(
        'refused',
        `AWS KMS returned a signature that is not of key ${keyId}: an alias may have moved`,
      );
    return recoverableSignature(signed.signature, signed.recoveryId);
  }

  return {
    address: async (index) => addressOfPoint(await pointOf(keyAt(index))),
    signDigest,
    signTypedData: async (index, typed) => signDigest(index, hashTypedData(typed)),
    close: () => client.destroy(),
  };
}
