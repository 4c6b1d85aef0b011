import type { Hex } from '@indelible/identifiers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Wallet } from 'ethers';
import {
  decodeDelegatedAuthority,
  decodeNonces,
  encodeDelegatedAuthority,
  encodeGrant,
  encodeGrantBySignature,
  encodeNonces,
  encodeRevoke,
  encodeRevokeBySignature,
  grantTypedData,
  revokeTypedData,
} from '../src/index.ts';
import { addressNumber, type Chain, startChain } from './support/chain.ts';
import { addressOfWallet, sign, walletNumber } from './support/lane.ts';
import { eventsOf, outcome, outsider, view } from './support/outcome.ts';

const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
let chain: Chain;
let wallet: Wallet;
let user: Hex;
let delegate: Hex;
let next = 1;

beforeAll(async () => {
  chain = await startChain();
}, 60_000);
afterAll(async () => chain?.stop());
beforeEach(() => {
  wallet = walletNumber(next++);
  user = addressOfWallet(wallet);
  delegate = addressNumber(next++);
});

async function ask(data: Hex): Promise<Hex> {
  const result = await chain.call({ from: outsider, data });
  return 'answer' in result ? result.answer : '0x';
}
const granted = async () => decodeDelegatedAuthority(await ask(encodeDelegatedAuthority({ user, delegate })));
const nonceOf = async () => decodeNonces(await ask(encodeNonces({ user })));
const signedGrant = async (nonce: bigint) => sign(wallet, grantTypedData(chain, { delegate, nonce }));
const signedRevocation = async (nonce: bigint) => sign(wallet, revokeTypedData(chain, { delegate, nonce }));
const sendGrant = (nonce: bigint, signature: Hex) =>
  outcome(chain, { from: outsider, data: encodeGrantBySignature({ user, delegate, nonce, signature }) });
const sendRevocation = (nonce: bigint, signature: Hex) =>
  outcome(chain, { from: outsider, data: encodeRevokeBySignature({ user, delegate, nonce, signature }) });

describe('grant and revoke', () => {
  it('spend the nonce: what was signed before and never sent has no effect afterwards', async () => {
    const oldGrant = await signedGrant(0n);
    await eventsOf(chain, { from: user, data: encodeRevoke({ delegate }) });
    expect(await nonceOf()).toBe(1n);
    expect(await sendGrant(0n, oldGrant)).toEqual({ error: 'InvalidNonce' });
    const oldRevocation = await signedRevocation(1n);
    await eventsOf(chain, { from: user, data: encodeGrant({ delegate }) });
    expect(await sendRevocation(1n, oldRevocation)).toEqual({ error: 'InvalidNonce' });
    expect(await granted()).toBe(true);
  });

  it('give and take authority over the sender alone', async () => {
    expect(await granted()).toBe(false);
    expect(await view(chain, 'checkAuthority', [user], delegate)).toEqual([false]);
    expect(await eventsOf(chain, { from: user, data: encodeGrant({ delegate }) })).toEqual([
      { kind: 'Grant', user, delegate },
    ]);
    expect(await granted()).toBe(true);
    expect(await view(chain, 'checkAuthority', [user], delegate)).toEqual([true]);
    expect(await view(chain, 'checkAuthority', [user], outsider)).toEqual([false]);
    expect(await view(chain, 'delegatedAuthority', [delegate, user])).toEqual([false]);
    expect(await eventsOf(chain, { from: user, data: encodeRevoke({ delegate }) })).toEqual([
      { kind: 'Revoke', user, delegate },
    ]);
    expect(await granted()).toBe(false);
  });
});

describe('grantBySignature and revokeBySignature', () => {
  it('give and take authority, each with the next nonce', async () => {
    expect(await nonceOf()).toBe(0n);
    expect(await sendGrant(0n, await signedGrant(0n))).toMatchObject({
      events: [{ kind: 'GrantBySignature', user, delegate, nonce: 0n }],
    });
    expect(await granted()).toBe(true);
    expect(await nonceOf()).toBe(1n);
    expect(await sendRevocation(1n, await signedRevocation(1n))).toMatchObject({
      events: [{ kind: 'RevokeBySignature', user, delegate, nonce: 1n }],
    });
    expect(await granted()).toBe(false);
    expect(await nonceOf()).toBe(2n);
  });

  it('use a signature once', async () => {
    const signature = await signedGrant(0n);
    await sendGrant(0n, signature);
    await sendRevocation(1n, await signedRevocation(1n));
    expect(await sendGrant(0n, signature)).toEqual({ error: 'InvalidNonce' });
    expect(await sendGrant(2n, signature)).toEqual({ error: 'InvalidSignature' });
    expect(await granted()).toBe(false);
  });

  it('refuse a nonce ahead of its turn', async () => {
    expect(await sendGrant(1n, await signedGrant(1n))).toEqual({ error: 'InvalidNonce' });
    expect(await sendRevocation(1n, await signedRevocation(1n))).toEqual({ error: 'InvalidNonce' });
  });

  it('refuse the signature of somebody else, of the other act, of another chain and of another contract', async () => {
    const message = { delegate, nonce: 0n };
    for (const signature of [
      await sign(walletNumber(next++), grantTypedData(chain, message)),
      await signedRevocation(0n),
      await sign(wallet, grantTypedData(chain, { ...message, delegate: outsider })),
      await sign(wallet, grantTypedData({ ...chain, chainId: chain.chainId + 1 }, message)),
      await sign(wallet, grantTypedData({ ...chain, contract: outsider }, message)),
    ]) {
      expect(await sendGrant(0n, signature)).toEqual({ error: 'InvalidSignature' });
    }
    expect(await sendRevocation(0n, await signedGrant(0n))).toEqual({ error: 'InvalidSignature' });
    expect(await nonceOf()).toBe(0n);
  });

  it('refuse the second signature with the high s that every signature has', async () => {
    const signature = await signedGrant(0n);
    const r = signature.slice(2, 66);
    const highS = (secp256k1Order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    expect(await sendGrant(0n, `0x${r}${highS}${flipped}`)).toEqual({ error: 'InvalidSignature' });
  });

  it('refuse every v but 27 and 28, and lengths other than 65 bytes', async () => {
    const signature = await signedGrant(0n);
    const body = signature.slice(0, 130);
    for (const v of ['00', '01', '1a', '1d', 'ff']) {
      expect(await sendGrant(0n, `${body}${v}` as Hex)).toEqual({ error: 'InvalidSignature' });
    }
    for (const malformed of ['0x', body, `${signature}00`] as Hex[]) {
      expect(await sendGrant(0n, malformed)).toEqual({ error: 'InvalidSignature' });
    }
  });

  it('refuse the zero address, which a broken signature seems to recover', async () => {
    const data = encodeGrantBySignature({
      user: `0x${'0'.repeat(40)}`,
      delegate,
      nonce: 0n,
      signature: `0x${'0'.repeat(128)}1b`,
    });
    expect(await outcome(chain, { from: outsider, data })).toEqual({ error: 'InvalidSignature' });
  });
});

describe('eip712Domain', () => {
  it('describes the domain of the signatures (EIP-5267)', async () => {
    const [fields, name, version, chainId, contract, salt, extensions] = await view(chain, 'eip712Domain', []);
    const domain = grantTypedData(chain, { delegate, nonce: 0n }).domain;
    expect({ name, version, chainId: Number(chainId), verifyingContract: String(contract).toLowerCase() }).toEqual(
      domain,
    );
    expect([fields, salt, [...extensions]]).toEqual(['0x0f', `0x${'0'.repeat(64)}`, []]);
  });
});
