import { encodeAddLane } from '@indelible/commitment-contract';
import {
  estimateFees,
  estimateGas,
  type Fees,
  getTransactionCount,
  type Rpc,
  signTransactionWithFees,
} from '@indelible/ethereum';
import type { OperatorKey } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { type ConsentingLane, checkNothingWaits, consentOf, operatorOfLane, spentConsents } from './add-lane.ts';
import { DeploymentError } from './deployment-error.ts';

/** A lane's signed consent, and the operator's transaction that uses it. */
export type UnsignedGrant = {
  readonly lane: Hex;
  readonly consent: Hex;
  readonly nonce: number;
  readonly gasLimit: number;
};

/**
 * What an operator with an offline key signs: all that its transactions need, and no secret. Valid while the operator
 * sends nothing else (nonces) and the lanes sign nothing else for the contract (consents).
 */
export type LaneGrantRequest = {
  readonly format: 'indelible.lane-grants.v1';
  readonly chainId: number;
  readonly contract: Hex;
  readonly operator: Hex;
  /** Integers in decimal: JSON has none of this size. */
  readonly fees: { readonly kind: Fees['kind'] } & Readonly<Record<string, string>>;
  readonly grants: readonly UnsignedGrant[];
};

/** `signed` has a raw transaction for each grant. */
export type SignedLaneGrants = LaneGrantRequest & { readonly signed: readonly Hex[] };

const requestFormat = 'indelible.lane-grants.v1';

/** The base fee may double three times before signed transactions are too cheap; only a block's price is paid. */
const feeRoom = 8n;

/**
 * A request, or its signed form, from a file.
 * @throws DeploymentError when the text is neither
 */
export function readLaneGrants(text: string): SignedLaneGrants {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new DeploymentError('the file is no JSON', { cause });
  }
  const { format, signed = [] } = (content ?? {}) as Partial<SignedLaneGrants>;
  if (format !== requestFormat) throw new DeploymentError(`the file is no request for grants (${requestFormat})`);
  return { ...(content as LaneGrantRequest), signed };
}

/**
 * Makes the request for those of the lanes that the operator has not granted; `again` also for removed ones, which are
 * otherwise reported and left out.
 * @throws DeploymentError when one belongs to another operator, or transactions of a removed one wait for a block
 */
export async function requestLaneGrants(
  rpc: Rpc,
  at: { readonly contract: Hex; readonly operator: Hex },
  lanes: readonly ConsentingLane[],
  { again = false, onRemoved }: { readonly again?: boolean; readonly onRemoved?: (lane: Hex) => void } = {},
): Promise<LaneGrantRequest> {
  const { contract, operator } = at;
  const [chainId, firstNonce, fees] = await Promise.all([
    rpc.chainId(),
    getTransactionCount(rpc, operator, 'pending'),
    estimateFees(rpc),
  ]);
  const grants: UnsignedGrant[] = [];
  for (const lane of lanes) {
    const spent = await spentConsents({ rpc, contract }, lane.address);
    const holder = await operatorOfLane({ rpc, contract }, lane.address);
    if (holder === operator) continue;
    if (holder !== undefined) throw new DeploymentError(`lane ${lane.address} belongs to another operator, ${holder}`);
    if (spent > 0n && !again) {
      onRemoved?.(lane.address);
      continue;
    }
    if (spent > 0n) await checkNothingWaits(rpc, lane.address);
    const consent = await consentOf({ rpc, contract }, operator, lane, spent);
    const data = encodeAddLane({ lane: lane.address, signature: consent });
    const gas = await estimateGas(rpc, { from: operator, to: contract, data });
    const gasLimit = Number((gas * 12n) / 10n);
    grants.push({ lane: lane.address, consent, nonce: firstNonce + grants.length, gasLimit });
  }
  return { format: requestFormat, chainId, contract, operator, fees: feesAsText(withRoom(fees)), grants };
}

/**
 * Signs the request offline, where the operator's key is. Signs only the adding of these lanes to this contract,
 * whatever else the request holds.
 * @throws DeploymentError when the request is for another operator
 */
export function signLaneGrants(request: LaneGrantRequest, operator: OperatorKey): SignedLaneGrants {
  if (request.operator !== operator.address)
    throw new DeploymentError(`the request is for operator ${request.operator}, and the key is of ${operator.address}`);
  const { chainId, contract: to } = request;
  const signed = request.grants.map(({ lane, consent, nonce, gasLimit }) => {
    const data = encodeAddLane({ lane, signature: consent });
    return signTransactionWithFees(
      { chainId, nonce, to, data, gasLimit },
      feesOfText(request.fees),
      operator.privateKey,
    ).rawTransaction;
  });
  return { ...request, signed };
}

function withRoom(fees: Fees): Fees {
  // A legacy transaction pays all that it offers.
  return fees.kind === 'legacy' ? fees : { ...fees, maxFeePerGas: fees.maxFeePerGas * feeRoom };
}

const feesAsText = (fees: Fees): LaneGrantRequest['fees'] =>
  fees.kind === 'legacy'
    ? { kind: fees.kind, gasPrice: String(fees.gasPrice) }
    : {
        kind: fees.kind,
        maxFeePerGas: String(fees.maxFeePerGas),
        maxPriorityFeePerGas: String(fees.maxPriorityFeePerGas),
      };

const feesOfText = (fees: LaneGrantRequest['fees']): Fees =>
  fees.kind === 'legacy'
    ? { kind: 'legacy', gasPrice: BigInt(fees.gasPrice ?? '') }
    : {
        kind: 'eip1559',
        maxFeePerGas: BigInt(fees.maxFeePerGas ?? ''),
        maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas ?? ''),
      };
