import { encodeAddLane } from '@indelible/commitment-contract';
import { fieldsOfSigned, isRpcError, type Rpc, sendRawTransaction, waitForReceipt } from '@indelible/ethereum';
import { bytesOfHex, type Hex, hexOfBytes, keccak256 } from '@indelible/identifiers';
import { operatorOfLane } from './add-lane.ts';
import { DeploymentError } from './deployment-error.ts';
import type { SignedLaneGrants } from './lane-grants.ts';

/**
 * Sends what the operator signed elsewhere, and waits until the lanes are its own. Safe to call again: skips granted
 * lanes.
 * @returns the lanes that were granted by this call
 * @throws DeploymentError when a transaction is not the one that was requested; SendError when it reverted or is in no
 * block in time
 */
export async function sendLaneGrants(
  rpc: Rpc,
  grants: SignedLaneGrants,
  options: { readonly timeoutMs: number },
): Promise<readonly Hex[]> {
  const { contract, operator } = grants;
  const chainId = await rpc.chainId();
  if (chainId !== grants.chainId)
    throw new DeploymentError(`the grants are signed for chain ${grants.chainId}, and the node is of chain ${chainId}`);
  if (grants.signed.length !== grants.grants.length)
    throw new DeploymentError(`${grants.grants.length} grants were requested, and ${grants.signed.length} are signed`);
  for (const [i, grant] of grants.grants.entries()) checkSigned(grants, grant, grants.signed[i] as Hex);
  const added: Hex[] = [];
  for (const [i, { lane }] of grants.grants.entries()) {
    if ((await operatorOfLane({ rpc, contract }, lane)) === operator) continue;
    const raw = grants.signed[i] as Hex;
    await sendOnce(rpc, raw);
    await waitForReceipt(rpc, hexOfBytes(keccak256(bytesOfHex(raw))), options);
    if ((await operatorOfLane({ rpc, contract }, lane)) !== operator)
      throw new DeploymentError(`lane ${lane} has another operator than ${operator}: who signed the grant?`);
    added.push(lane);
  }
  return added;
}

/** Only what was requested is broadcast: the signer may have had another request. */
function checkSigned(
  { chainId, contract }: SignedLaneGrants,
  { lane, consent, nonce }: SignedLaneGrants['grants'][number],
  raw: Hex,
): void {
  const fields = fieldsOfSigned(raw);
  const data = typeof fields.data === 'string' ? fields.data : hexOfBytes(fields.data);
  const isTheOne =
    fields.chainId === chainId &&
    fields.nonce === nonce &&
    fields.to === contract &&
    data === encodeAddLane({ lane, signature: consent });
  if (!isTheOne) throw new DeploymentError(`what is signed for lane ${lane} is not the grant that was requested`);
}

/** An earlier run may have sent it; the receipt then says how it ended. */
async function sendOnce(rpc: Rpc, raw: Hex): Promise<void> {
  try {
    await sendRawTransaction(rpc, raw);
  } catch (error) {
    const kind = isRpcError(error) ? error.meaning.kind : undefined;
    if (kind !== 'accepted-already' && kind !== 'nonce-used') throw error;
  }
}
