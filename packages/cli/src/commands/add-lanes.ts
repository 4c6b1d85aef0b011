import { addLane } from '@indelible/contract-deployment';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import { checkChain } from '../chain/check-chain.ts';
import { lanesOf, withLaneKeys } from '../chain/lane-keys.ts';
import { readOperatorKeys } from '../chain/operator-keys.ts';
import { withChain } from '../chain/with-chain.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { SettingsError } from '../settings-error.ts';

export type AddOptions = GlobalOptions & { readonly wait: number };

type Outcome = { readonly index: number; readonly lane: Hex; readonly added: boolean };

/** `lanes add …` */
export async function addLanes(
  context: CommandContext,
  indexes: readonly number[],
  { json, wait }: AddOptions,
): Promise<void> {
  const settings = context.config.chain();
  const { contract } = settings;
  if (contract === undefined) throw new SettingsError('run `npm start` first, or set CONTRACT_ADDRESS');
  const { operator } = await readOperatorKeys(context.config.operator());
  await withLaneKeys(context.config.laneKeys(), async (keys) => {
    if (keys.operator !== operator.address)
      throw new SettingsError(
        `the seed is not that of operator ${keys.operator}: set OPERATOR_SEED_FILE, or have the lanes granted by \`lanes request-grants\``,
      );
    const lanes = await lanesOf(keys, indexes);
    await withChain(settings, async (rpc, chainId) => {
      await checkChain(rpc, { chainId, contract });
      const outcomes: Outcome[] = [];
      for (const lane of lanes) {
        const added = await addLane({ rpc, contract, operator, lane, timeoutMs: wait * 1_000 });
        outcomes.push({ index: lane.index, lane: checksumAddress(lane.address), added });
      }
      const address = checksumAddress(operator.address);
      if (json) context.out(JSON.stringify({ operator: address, lanes: outcomes }));
      else
        for (const { index, lane, added } of outcomes)
          context.out(`lane ${index}  ${lane}  ${added ? 'added' : 'is added'} to operator ${address}`);
    });
  });
}
