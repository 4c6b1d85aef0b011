import { commitmentServiceBytecode, deployedCode } from '@indelible/commitment-contract';
import { getCode, getTransactionCount, type Rpc, sendAndWait, sendUnless, waitForPending } from '@indelible/ethereum';
import { type OperatorKey, signDigestWithKey } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { addLane, type ConsentingLane } from './add-lane.ts';
import { createAddress } from './create-address.ts';
import { DeploymentError } from './deployment-error.ts';
import { deterministicAddress, factory, factoryCallOf } from './deterministic-address.ts';

export type DeployedContract = { readonly address: Hex; readonly deployed: boolean; readonly lanesAdded: number };

/**
 * Makes the contract ready for an operator: deploys it unless it is at `knownAddress`, and adds the lanes it never had.
 * Safe to call again, and by several processes at once.
 *
 * The address follows from the operator's where the chain has the usual factory. Elsewhere it follows from the nonce
 * and must be recorded: two concurrent deployments may create two contracts.
 * @throws DeploymentError, SendError, RpcUnavailableError, RpcAnswerError
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
  const isThere = known !== undefined && (await hasCode(rpc, known));
  const { address, deployed } = isThere ? { address: known, deployed: false } : await deploy(rpc, operator, wait);
  let lanesAdded = 0;
  for (const lane of options.lanes)
    if ((await addLane({ rpc, contract: address, operator, lane: consenting(lane), ...wait })) === 'added')
      lanesAdded++;
  return { address, deployed, lanesAdded };
}

const consenting = ({ address, privateKey }: OperatorKey): ConsentingLane => ({
  address,
  signDigest: async (digest) => signDigestWithKey(privateKey, digest),
});

const hasCode = async (rpc: Rpc, address: Hex): Promise<boolean> => (await getCode(rpc, address, 'latest')) !== '0x';

type Deployed = { readonly address: Hex; readonly deployed: boolean };

async function deploy(rpc: Rpc, operator: OperatorKey, wait: { timeoutMs: number }): Promise<Deployed> {
  if (!(await hasCode(rpc, factory))) return deployByNonce(rpc, operator, wait);
  const address = deterministicAddress(operator.address);
  const call = { to: factory, data: factoryCallOf(operator.address) };
  const receipt = await sendUnless(() => hasCode(rpc, address), rpc, operator, call, wait);
  if (!(await hasCode(rpc, address))) throw new DeploymentError('the factory made no contract');
  return { address, deployed: receipt !== undefined };
}

async function deployByNonce(rpc: Rpc, operator: OperatorKey, wait: { timeoutMs: number }): Promise<Deployed> {
  const unused = await unusedDeployment(rpc, operator, wait);
  if (unused !== undefined) return { address: unused, deployed: false };
  const receipt = await sendAndWait(rpc, operator, { to: null, data: commitmentServiceBytecode }, wait);
  if (receipt.contractAddress === null) throw new DeploymentError('the deployment made no contract');
  return { address: receipt.contractAddress, deployed: true };
}

/**
 * The contract that the operator's newest transaction created, if it is ours: an earlier call deployed it and gave up waiting
 * before it was in a block. A contract in use has lanes, and so a later transaction of the operator.
 */
async function unusedDeployment(
  rpc: Rpc,
  operator: OperatorKey,
  wait: { timeoutMs: number },
): Promise<Hex | undefined> {
  await waitForPending(rpc, operator.address, wait);
  const sent = await getTransactionCount(rpc, operator.address, 'latest');
  if (sent === 0) return undefined;
  const contract = createAddress(operator.address, sent - 1);
  const code = await getCode(rpc, contract, 'latest');
  return code === deployedCode({ chainId: await rpc.chainId(), contract }) ? contract : undefined;
}
