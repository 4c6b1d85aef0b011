import {
  decodeLaneOperator,
  decodeNonces,
  encodeAddLane,
  encodeLaneOperator,
  encodeNonces,
  laneTypedData,
} from '@indelible/commitment-contract';
import { ethCall, getTransactionCount, type Rpc, sendUnless } from '@indelible/ethereum';
import { hashTypedData, type OperatorKey } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { DeploymentError } from './deployment-error.ts';

type Place = { readonly rpc: Rpc; readonly contract: Hex };

/** The operator of the lane, as of the latest block; undefined if there is none. */
export async function operatorOfLane({ rpc, contract }: Place, lane: Hex): Promise<Hex | undefined> {
  return decodeLaneOperator(await ethCall(rpc, { to: contract, data: encodeLaneOperator({ lane }) }, 'latest'));
}

/** A lane that consents; its key may be anywhere. */
export type ConsentingLane = { readonly address: Hex; signDigest(digest: Hex): Promise<Hex> };

/**
 * How many consents of the lane were spent, by one grant each. Read it before {@link operatorOfLane}: a lane that has spent some and has no
 * operator afterwards was removed, and a consent of the number that was read grants no lane that was removed since.
 */
export async function spentConsents({ rpc, contract }: Place, lane: Hex): Promise<bigint> {
  return decodeNonces(await ethCall(rpc, { to: contract, data: encodeNonces({ user: lane }) }));
}

/** @throws DeploymentError while the node's pool has transactions of the lane: once it is granted again, they write (I2) */
export async function checkNothingWaits(rpc: Rpc, lane: Hex): Promise<void> {
  const used = await getTransactionCount(rpc, lane, 'latest');
  const waiting = (await getTransactionCount(rpc, lane, 'pending')) - used;
  if (waiting > 0)
    throw new DeploymentError(
      `${waiting} transactions of lane ${lane} wait for a block, and would write if it were granted again: use another lane`,
    );
}

/** The lane's signature with which the operator may add it, once. */
export async function consentOf(
  { rpc, contract }: Place,
  operator: Hex,
  lane: ConsentingLane,
  nonce: bigint,
): Promise<Hex> {
  return lane.signDigest(hashTypedData(laneTypedData({ chainId: await rpc.chainId(), contract }, { operator, nonce })));
}

/** `removed`: granted before, and left unchanged. */
export type LaneAddition = 'added' | 'is added' | 'removed';

/**
 * Adds a lane to its operator. Safe to call again, and by several processes at once. A lane that was removed is added with `again` alone:
 * a pool may have transactions of it, whose stamps another lane has recorded (I2).
 * @throws DeploymentError when it belongs to another operator, or its transactions wait for a block; SendError
 */
export async function addLane(
  options: Place & {
    readonly operator: OperatorKey;
    readonly lane: ConsentingLane;
    readonly timeoutMs: number;
    readonly again?: boolean;
  },
): Promise<LaneAddition> {
  const { rpc, operator, lane, timeoutMs } = options;
  const isAdded = async (): Promise<boolean> => {
    const holder = await operatorOfLane(options, lane.address);
    if (holder !== undefined && holder !== operator.address)
      throw new DeploymentError(`lane ${lane.address} belongs to another operator, ${holder}`);
    return holder === operator.address;
  };
  const spent = await spentConsents(options, lane.address);
  if (await isAdded()) return 'is added';
  if (spent > 0n) {
    if (options.again !== true) return 'removed';
    await checkNothingWaits(rpc, lane.address);
  }
  const signature = await consentOf(options, operator.address, lane, spent);
  const call = { to: options.contract, data: encodeAddLane({ lane: lane.address, signature }) };
  return (await sendUnless(isAdded, rpc, operator, call, { timeoutMs })) === undefined ? 'is added' : 'added';
}
