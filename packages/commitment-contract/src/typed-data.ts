import type { Hex } from '@indelible/identifiers';

/** The contract and chain of a signature, which is invalid anywhere else. */
export interface ContractDomain {
  readonly chainId: number;
  readonly contract: Hex;
}

const delegation = [
  { name: 'delegate', type: 'address' },
  { name: 'nonce', type: 'uint256' },
] as const;

const consent = [
  { name: 'operator', type: 'address' },
  { name: 'nonce', type: 'uint256' },
] as const;

// Each function gives EIP-712 typed data for a signer (ethers: signTypedData(domain, types, message)). The contract
// takes 65 bytes r‖s‖v with a low s and v 27 or 28. The nonce is the contract's nonces(signer): a signature works once,
// and its use invalidates all others of that nonce.

/** Signed by the user: the delegate may write for the user. */
export function grantTypedData(at: ContractDomain, message: { readonly delegate: Hex; readonly nonce: bigint }) {
  return { domain: domain(at), types: { Grant: delegation }, primaryType: 'Grant', message } as const;
}

/** Signed by the user: the delegate may no longer write for the user. */
export function revokeTypedData(at: ContractDomain, message: { readonly delegate: Hex; readonly nonce: bigint }) {
  return { domain: domain(at), types: { Revoke: delegation }, primaryType: 'Revoke', message } as const;
}

/** Signed by the lane: it consents to write for the operator. */
export function laneTypedData(at: ContractDomain, message: { readonly operator: Hex; readonly nonce: bigint }) {
  return { domain: domain(at), types: { Lane: consent }, primaryType: 'Lane', message } as const;
}

export function domain({ chainId, contract }: ContractDomain) {
  return { name: 'CommitmentService', version: '1', chainId, verifyingContract: contract } as const;
}
