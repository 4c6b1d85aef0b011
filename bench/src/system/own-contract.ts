import { randomBytes } from 'node:crypto';
import { encodeGrant } from '@indelible/commitment-contract';
import { ensureContract, setLocalBalance } from '@indelible/contract-deployment';
import { createOperatorKeys, type OperatorKey } from '@indelible/custody';
import type { Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { sendUnsigned } from './dev-chain.ts';

/** The real contract, but not the services': an operator and a lane of its own write to it. */
export type OwnContract = { readonly address: Hex; readonly operator: Hex; readonly lane: OperatorKey };

const balance = 10n ** 24n;
const grantGas = 100_000;

export async function deployOwnContract(rpc: Rpc): Promise<OwnContract> {
  const keys = createOperatorKeys({ seed: randomBytes(32) });
  const { operator } = keys;
  const lane = keys.lane(0);
  for (const { address } of [operator, lane]) await setLocalBalance(rpc, address, balance);
  const { address } = await ensureContract({ rpc, operator, lanes: [lane] });
  return { address, operator: operator.address, lane };
}

/** Grants the operator the users' consent, by which its lane stamps for them. */
export async function grantOperator(
  rpc: Rpc,
  contract: OwnContract,
  users: readonly Hex[],
  signal: AbortSignal,
): Promise<void> {
  const data = encodeGrant({ delegate: contract.operator });
  const grants = users.map((from) => ({ from, to: contract.address, data, gas: grantGas }));
  await sendUnsigned(rpc, grants, signal);
}
