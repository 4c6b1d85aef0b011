import type { Hex } from '@indelible/identifiers';
import type { TypedData } from './typed-data.ts';

/**
 * Signs for addresses by index: owners, or lanes. The keys stay inside: a seed in this process, a key management
 * service or a remote signer. A signer outside of this process responds in bounded time, and rejects with
 * {@link SignerError}.
 */
export interface SignerPort {
  /** The lower-case address of the index. */
  address(index: number): Promise<Hex>;
  /** r‖s‖v over 32 bytes, 65 bytes, low s, v 27 or 28. */
  signDigest(index: number, digest: Hex): Promise<Hex>;
  /** The signature of EIP-712 data, in the same form. */
  signTypedData(index: number, typed: TypedData): Promise<Hex>;
}

/**
 * - `throttled`: too many requests.
 * - `unavailable`: no answer in time, or a fault of the signer's own.
 * - `refused`: the key may not be used, or is none for this purpose. An operator must act; frequent retries do not
 *   help.
 */
export type SignerFault = 'throttled' | 'unavailable' | 'refused';

/** A signer returned no signature: none was made, or it was lost unseen. */
export class SignerError extends Error {
  override readonly name = 'SignerError';
  readonly fault: SignerFault;
  readonly retryable: boolean;
  constructor(fault: SignerFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.retryable = fault !== 'refused';
  }
}
