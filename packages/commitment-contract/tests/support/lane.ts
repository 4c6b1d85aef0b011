import type { Hex } from '@indelible/identifiers';
import { Wallet } from 'ethers';
import { encodeAddLane, laneTypedData } from '../../src/index.ts';
import { addressNumber, type Chain } from './chain.ts';

/** A key whose address no other number gives. */
export const walletNumber = (number: number): Wallet => new Wallet(`0x${(0xb0000000 + number).toString(16).repeat(8)}`);
export const addressOfWallet = (wallet: Wallet): Hex => wallet.address.toLowerCase() as Hex;

/** Signs typed data of this package with ethers. */
export async function sign(wallet: Wallet, typed: ReturnType<typeof laneTypedData> | SignableDelegation): Promise<Hex> {
  const types = Object.fromEntries(Object.entries(typed.types).map(([name, fields]) => [name, [...fields]]));
  return (await wallet.signTypedData(typed.domain, types, typed.message)) as Hex;
}

type SignableDelegation = {
  readonly domain: ReturnType<typeof laneTypedData>['domain'];
  readonly types: Readonly<Record<string, readonly { readonly name: string; readonly type: string }[]>>;
  readonly message: Readonly<Record<string, unknown>>;
};

/** Binds a new lane to a new operator, as a service does. */
export async function addLane(chain: Chain, number: number): Promise<{ operator: Hex; lane: Hex; wallet: Wallet }> {
  const wallet = walletNumber(number);
  const lane = addressOfWallet(wallet);
  const operator = addressNumber(500_000 + number);
  const signature = await sign(wallet, laneTypedData(chain, { operator, nonce: 0n }));
  const [receipt] = await chain.send({ from: operator, data: encodeAddLane({ lane, signature }) });
  if (receipt?.status !== '0x1') throw new Error('the lane was not added');
  return { operator, lane, wallet };
}
