import { checksumAddress, type Hex } from '@indelible/identifiers';
import { checkChain } from '../chain/check-chain.ts';
import { lanesOf, withLaneKeys } from '../chain/lane-keys.ts';
import { readOperatorKeys } from '../chain/operator-keys.ts';
import { withChain } from '../chain/with-chain.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { addLane, type LaneAddition } from '../provisioning.ts';
import { SettingsError } from '../settings-error.ts';

export type AddOptions = GlobalOptions & { readonly wait: number; readonly again?: boolean };

type Outcome = { readonly index: number; readonly lane: Hex; readonly outcome: LaneAddition };

/** `lanes add …` */
export async function addLanes(
  context: CommandContext,
  indexes: readonly number[],
  { json, wait, again = false }: AddOptions,
): Promise<void> {
  if (again && indexes.length === 0) throw new SettingsError('--again needs the indexes of the removed lanes');
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
        const outcome = await addLane({ rpc, contract, operator, lane, timeoutMs: wait * 1_000, again });
        outcomes.push({ index: lane.index, lane: checksumAddress(lane.address), outcome });
      }
      const address = checksumAddress(operator.address);
      if (json) {
        const listed = outcomes.map(({ outcome, ...of }) => ({
          ...of,
          added: outcome === 'added',
          removed: outcome === 'removed',
        }));
        context.out(JSON.stringify({ operator: address, lanes: listed }));
      } else for (const of of outcomes) context.out(lineOf(of, address));
    });
  });
}

const lineOf = ({ index, lane, outcome }: Outcome, operator: Hex): string =>
  outcome === 'removed'
    ? `lane ${index}  ${lane}  was removed, and is not granted again: use another lane, or see --again`
    : `lane ${index}  ${lane}  ${outcome} to operator ${operator}`;
