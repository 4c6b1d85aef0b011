import type { Hex } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';

/** What is known of an identity (account, set CID, object CID) when a request for it is decided. */
export type IdentityState = {
  /** A stamp of it in flight, however it was requested. */
  readonly inFlight: { readonly stampId: string } | undefined;
  /** Its newest stamp on the chain. */
  readonly newest: { readonly stampId: string; readonly receipt: Receipt } | undefined;
};

export type StampDecision =
  | { readonly kind: 'new' }
  | { readonly kind: 'join'; readonly stampId: string }
  | { readonly kind: 'repeat'; readonly stampId: string; readonly receipt: Receipt };

/**
 * Whether a request makes a stamp (docs/interface.md, Stamps; I2). An idempotent one joins what is in flight, repeats the
 * newest stamp inside its window (now − block time < window), and makes a new one otherwise.
 * @param nowSeconds since 1970
 */
export function decideStamp(
  request: { readonly idempotency: { readonly windowSeconds: number } | null },
  state: IdentityState,
  nowSeconds: number,
): StampDecision {
  if (request.idempotency === null) return { kind: 'new' };
  if (state.inFlight !== undefined) return { kind: 'join', stampId: state.inFlight.stampId };
  const { newest } = state;
  const age = newest === undefined ? 0 : Math.max(0, nowSeconds - newest.receipt.blockTime);
  if (newest !== undefined && age < request.idempotency.windowSeconds) return { kind: 'repeat', ...newest };
  return { kind: 'new' };
}

/** The key that requests for the same identity share. */
export const identityKey = (account: Hex, setCid: Hex, objectCid: Hex): string => `${account}${setCid}${objectCid}`;
