import {
  addressOfPrivateKey,
  getBalance,
  type Rpc,
  type SendingKey,
  sendAndWait,
  waitForPending,
} from '@indelible/ethereum';
import { seedFromHexOrFile } from '@indelible/ethereum/custody';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import { lanesOf, withLaneKeys } from '../chain/lane-keys.ts';
import { readOperatorKeys } from '../chain/operator-keys.ts';
import { withChain } from '../chain/with-chain.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { SettingsError } from '../settings-error.ts';
import { etherOf } from './ether.ts';
import { drainedLanes, whileLocked } from './stamping-database.ts';

export type FundOptions = GlobalOptions & {
  readonly below: bigint;
  readonly upTo: bigint;
  readonly keyFile?: string;
  readonly dryRun?: boolean;
  readonly wait: number;
};

type Outcome = { readonly index: number; readonly lane: Hex; readonly balance: string; readonly sent: string };

/** `lanes fund …`: decided and sent under a lock, so that two runs do not fund a lane twice. */
export async function fundLanes(context: CommandContext, options: FundOptions): Promise<void> {
  if (options.upTo < options.below) throw new SettingsError('--up-to must be at least --below');
  const { databaseUrl } = context.config.store();
  const payer =
    options.keyFile === undefined
      ? (await readOperatorKeys(context.config.operator())).operator
      : await readKey(options.keyFile);
  const lanes = await withLaneKeys(context.config.laneKeys(), (keys) => lanesOf(keys));
  if (lanes.some(({ address }) => address === payer.address))
    throw new SettingsError("the key that pays is a lane's: its nonces are stamping's");
  const outcomes = await withChain(context.config.chain(), (rpc) =>
    whileLocked(databaseUrl, `fund ${payer.address}`, options.wait * 1_000, async (database) => {
      // An earlier run may have sent transactions.
      await waitForPending(rpc, payer.address, { timeoutMs: options.wait * 1_000 });
      const drained = await drainedLanes(database);
      const open = lanes.filter(({ address }) => !drained.has(address));
      const results: Outcome[] = [];
      for (const { index, address } of open) results.push({ index, ...(await fund(rpc, payer, address, options)) });
      return results;
    }),
  );
  const from = checksumAddress(payer.address);
  if (options.json) return context.out(JSON.stringify({ dryRun: options.dryRun === true, from, lanes: outcomes }));
  if (outcomes.length === 0) context.note('nothing to fund: all lanes of LANES are drained');
  const sent = options.dryRun ? 'would get' : 'got';
  for (const outcome of outcomes)
    context.out(
      `lane ${outcome.index}  ${outcome.lane}  has ${outcome.balance} ether${outcome.sent === '0' ? '' : `, ${sent} ${outcome.sent} from ${from}`}`,
    );
}

async function fund(rpc: Rpc, payer: SendingKey, lane: Hex, options: FundOptions): Promise<Omit<Outcome, 'index'>> {
  const balance = await getBalance(rpc, lane);
  const value = balance < options.below ? options.upTo - balance : 0n;
  if (value > 0n && !options.dryRun)
    await sendAndWait(rpc, payer, { to: lane, data: '0x', value }, { timeoutMs: options.wait * 1_000 });
  return { lane: checksumAddress(lane), balance: etherOf(balance), sent: etherOf(value) };
}

async function readKey(file: string): Promise<SendingKey> {
  try {
    const privateKey = await seedFromHexOrFile(file);
    return { address: addressOfPrivateKey(privateKey), privateKey };
  } catch (cause) {
    throw new SettingsError(`the key of --key-file cannot be read (${describeError(cause)})`, { cause });
  }
}
