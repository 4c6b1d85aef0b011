import {
  commitmentServiceBytecode,
  decodeLaneOperator,
  decodeNonces,
  encodeAddLane,
  encodeLaneOperator,
  encodeNonces,
  laneTypedData,
} from '@indelible/commitment-contract';
import { hashTypedData, type OperatorKey, signDigestWithKey } from '@indelible/custody';
import { ethCall, getCode, getTransactionCount, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { createAddress } from './create-address.ts';
import { DeploymentError, sendAndWait, waitForPending } from './send-and-wait.ts';

export { DeploymentError } from './send-and-wait.ts';

export type DeployedContract = { readonly address: Hex; readonly deployed: boolean; readonly lanesAdded: number };

/**
 * Makes the contract ready for an operator: deploys it unless it stands at `knownAddress`, and adds the lanes it does
 * not have. Each lane signs its own consent. Safe to call again.
 * @throws DeploymentError
 */
export async function ensureContract(options: {
  readonly rpc: Rpc;
  readonly operator: OperatorKey;
  readonly lanes: readonly OperatorKey[];
  readonly knownAddress?: Hex;
  readonly timeoutMs?: number;
}): Promise<DeployedContract> {
  const { rpc, operator } = options;
  const wait = { timeoutMs: options.timeoutMs ?? 60_000 };
  const known = options.knownAddress;
  const stands = known !== undefined && (await getCode(rpc, known, 'latest')) !== '0x';
  const address = stands ? known : await deploy(rpc, operator, wait);
  let lanesAdded = 0;
  for (const lane of options.lanes) {
    const holder = decodeLaneOperator(
      await ethCall(rpc, { to: address, data: encodeLaneOperator({ lane: lane.address }) }),
    );
    if (holder === operator.address) continue;
    if (holder !== undefined) throw new DeploymentError(`lane ${lane.address} belongs to another operator, ${holder}`);
    const nonce = decodeNonces(await ethCall(rpc, { to: address, data: encodeNonces({ user: lane.address }) }));
    const consent = laneTypedData(
      { chainId: await rpc.chainId(), contract: address },
      { operator: operator.address, nonce },
    );
    const signature = signDigestWithKey(lane.privateKey, hashTypedData(consent));
    await sendAndWait(rpc, operator, { to: address, data: encodeAddLane({ lane: lane.address, signature }) }, wait);
    lanesAdded++;
  }
  return { address, deployed: !stands, lanesAdded };
}

async function deploy(rpc: Rpc, operator: OperatorKey, wait: { timeoutMs: number }): Promise<Hex> {
  const unused = await unusedDeployment(rpc, operator, wait);
  if (unused !== undefined) return unused;
  const receipt = await sendAndWait(rpc, operator, { to: null, data: commitmentServiceBytecode }, wait);
  if (receipt.contractAddress === null) throw new DeploymentError('the deployment made no contract');
  return receipt.contractAddress;
}

/**
 * The contract that the operator's newest transaction created, if it is one of this bytecode: an earlier call deployed it and
 * gave up waiting before it was in a block. A contract in use has lanes, and so a later transaction of the operator.
 */
async function unusedDeployment(
  rpc: Rpc,
  operator: OperatorKey,
  wait: { timeoutMs: number },
): Promise<Hex | undefined> {
  await waitForPending(rpc, operator.address, wait);
  const sent = await getTransactionCount(rpc, operator.address, 'latest');
  if (sent === 0) return undefined;
  const address = createAddress(operator.address, sent - 1);
  const code = await getCode(rpc, address, 'latest');
  if (code === '0x') return undefined;
  // The code holds its own address, hashed: only its length can be compared.
  const creation = { from: operator.address, data: commitmentServiceBytecode };
  const same = await rpc.call<Hex>('eth_call', [creation, 'latest']);
  return same.length === code.length ? address : undefined;
}
