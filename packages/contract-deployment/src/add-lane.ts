import {
  decodeLaneOperator,
  decodeNonces,
  encodeAddLane,
  encodeLaneOperator,
  encodeNonces,
  laneTypedData,
} from '@indelible/commitment-contract';
import { hashTypedData, type OperatorKey } from '@indelible/custody';
import { ethCall, type Rpc, sendUnless } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { DeploymentError } from './deployment-error.ts';

type Place = { readonly rpc: Rpc; readonly contract: Hex };

/** Whom the lane writes for, as of the latest block; undefined when nobody has added it. */
export async function operatorOfLane({ rpc, contract }: Place, lane: Hex): Promise<Hex | undefined> {
  return decodeLaneOperator(await ethCall(rpc, { to: contract, data: encodeLaneOperator({ lane }) }, 'latest'));
}

/** A lane as it consents; its key may be anywhere. */
export type ConsentingLane = { readonly address: Hex; signDigest(digest: Hex): Promise<Hex> };

/** The lane's signature with which the operator may add it, once. */
export async function consentOf({ rpc, contract }: Place, operator: Hex, lane: ConsentingLane): Promise<Hex> {
  const nonce = decodeNonces(await ethCall(rpc, { to: contract, data: encodeNonces({ user: lane.address }) }));
  return lane.signDigest(hashTypedData(laneTypedData({ chainId: await rpc.chainId(), contract }, { operator, nonce })));
}

/**
 * Adds a lane to its operator. Safe to call again, and by several processes at once.
 * @returns whether a transaction was needed @throws DeploymentError when it belongs to another operator; SendError
 */
export async function addLane(
  options: Place & { readonly operator: OperatorKey; readonly lane: ConsentingLane; readonly timeoutMs: number },
): Promise<boolean> {
  const { rpc, operator, lane, timeoutMs } = options;
  const isAdded = async (): Promise<boolean> => {
    const holder = await operatorOfLane(options, lane.address);
    if (holder !== undefined && holder !== operator.address)
      throw new DeploymentError(`lane ${lane.address} belongs to another operator, ${holder}`);
    return holder === operator.address;
  };
  if (await isAdded()) return false;
  const signature = await consentOf(options, operator.address, lane);
  const call = { to: options.contract, data: encodeAddLane({ lane: lane.address, signature }) };
  return (await sendUnless(isAdded, rpc, operator, call, { timeoutMs })) !== undefined;
}
