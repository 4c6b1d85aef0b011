import { setTimeout as delay } from 'node:timers/promises';
import { createOperatorKeys, openLaneKeys, seedFromHexOrFile } from '@indelible/ethereum/custody';
import { callRpc } from '@indelible/ethereum/local-chain';
import type { Hex } from '@indelible/identifiers';
import type { FundConfig } from './config.ts';

const callTimeoutMs = 5_000;
const deadlineMs = 60_000;
/** Enough for years of stamps; the accounts that give it have 10,000 each. */
const ether = 10n ** 18n;
const wanted = 100n * ether;

/**
 * Gives the operator and its lanes ether on a development chain, by transactions of the chain's first account, which
 * the node signs for. Funded ones get nothing. Any other chain is left alone.
 * @returns a line for people
 */
export async function fundOperator(config: FundConfig): Promise<string> {
  const call = <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    callRpc<T>(config.rpcUrl, method, params, AbortSignal.timeout(callTimeoutMs));
  if (!(await call<string>('web3_clientVersion')).startsWith('anvil/'))
    return 'not a development chain: nothing to fund';
  const keys = createOperatorKeys({ seed: await seedFromHexOrFile(config.operatorSeed) });
  const lanes = await laneAddresses(config, keys.operator.address);
  const balanceOf = async (address: string): Promise<bigint> =>
    BigInt(await call('eth_getBalance', [address, 'latest']));
  const [from] = await call<readonly string[]>('eth_accounts');
  const deadline = AbortSignal.timeout(deadlineMs);
  let funded = 0;
  for (const address of [keys.operator.address, ...lanes]) {
    if ((await balanceOf(address)) >= wanted / 2n) continue;
    await call('eth_sendTransaction', [{ from, to: address, value: `0x${wanted.toString(16)}` }]);
    while ((await balanceOf(address)) < wanted / 2n) await delay(200, undefined, { signal: deadline });
    funded++;
  }
  return `operator ${keys.operator.address} and ${lanes.length} lanes: ${funded === 0 ? 'have enough' : `${funded} funded`}`;
}

async function laneAddresses(config: FundConfig, operator: Hex): Promise<readonly Hex[]> {
  const { laneSeed, lanes: count } = config;
  const keys = await openLaneKeys(
    laneSeed === undefined
      ? { of: 'operator-seed', seed: config.operatorSeed, count }
      : { of: 'lane-seed', seed: laneSeed, count, operator },
    callTimeoutMs,
  );
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => keys.signer.address(index)));
  } finally {
    keys.close();
  }
}
