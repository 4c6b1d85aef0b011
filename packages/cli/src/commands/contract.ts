import { getCode } from '@indelible/ethereum';
import { checksumAddress } from '@indelible/identifiers';
import type { Command } from 'commander';
import { readOperatorKeys } from '../chain/operator-keys.ts';
import { withChain } from '../chain/with-chain.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type ContractReport, ensureContract, examineContract } from '../provisioning.ts';
import { SettingsError } from '../settings-error.ts';
import { parseSeconds } from './parse-options.ts';

type DeployOptions = GlobalOptions & { readonly wait: number };

class ContractDiffersError extends Error {
  override readonly name = 'ContractDiffersError';
  readonly retryable = false;
}

/** `contract …` */
export function addContractCommands(program: Command, context: CommandContext): void {
  const contract = program.command('contract').description('the contract on the chain');
  contract
    .command('deploy')
    .description("deploys the contract unless it is there, paid by the operator's key; safe to run again")
    .option('--wait <seconds>', 'how long a transaction may take', parseSeconds, 120)
    .addHelpText(
      'after',
      `
The address follows from the operator's and is the same on every chain that has the usual factory
(0x4e59b44847b379578588920cA78FbF26c0B4956C). On a chain without it, record the address in CONTRACT_ADDRESS: another run without it
would deploy another contract. First block is the chain-indexer's START_BLOCK.

Example:
  RPC_URL=https://node.example OPERATOR_SEED_FILE=/run/secrets/operator.seed indelible contract deploy --json`,
    )
    .action((_options, command: Command) => deploy(context, command.optsWithGlobals<DeployOptions>()));
  contract
    .command('verify')
    .description('compares the code at CONTRACT_ADDRESS with that of this release, to the byte; only reads')
    .addHelpText(
      'after',
      `
Exit status 1 when it is other code, or none.

Example:
  RPC_URL=https://node.example CONTRACT_ADDRESS=0x… indelible contract verify`,
    )
    .action((_options, command: Command) => verify(context, command.optsWithGlobals<GlobalOptions>()));
}

async function deploy(context: CommandContext, { json, wait }: DeployOptions): Promise<void> {
  const settings = context.config.chain();
  const { operator } = await readOperatorKeys(context.config.operator());
  await withChain(settings, async (rpc) => {
    const { contract } = settings;
    if (contract !== undefined && (await getCode(rpc, contract)) === '0x')
      throw new SettingsError(
        `there is no contract at ${contract}: correct CONTRACT_ADDRESS, or unset it to deploy one`,
      );
    const { address, deployed } = await ensureContract({
      rpc,
      operator,
      lanes: [],
      timeoutMs: wait * 1_000,
      ...(contract === undefined ? {} : { knownAddress: contract }),
    });
    const report = await examineContract(rpc, address);
    const more = { operator: checksumAddress(operator.address), deployed };
    if (json) return context.out(JSON.stringify({ ...jsonOf(report), ...more }));
    context.out(deployed ? 'deployed' : 'is there already');
    for (const line of linesOf(report)) context.out(line);
    context.out(`Operator     ${more.operator}`);
    if (report.code === 'other') context.note('the contract is not of this release: its code differs');
  });
}

async function verify(context: CommandContext, { json }: GlobalOptions): Promise<void> {
  const settings = context.config.chain();
  const { contract } = settings;
  if (contract === undefined) throw new SettingsError('run `npm start` first, or set CONTRACT_ADDRESS');
  const report = await withChain(settings, (rpc) => examineContract(rpc, contract));
  if (json) context.out(JSON.stringify(jsonOf(report)));
  else for (const line of linesOf(report)) context.out(line);
  if (report.code !== 'ours')
    throw new ContractDiffersError(
      report.code === 'none'
        ? `there is no contract at ${contract}`
        : `the code at ${contract} is not that of this release`,
    );
}

const jsonOf = ({ chainId, address, code, firstBlock }: ContractReport) => ({
  chainId,
  contract: checksumAddress(address),
  code,
  firstBlock,
});

const codes = { none: 'none', ours: 'that of this release', other: 'not that of this release' } as const;

const linesOf = ({ chainId, address, code, firstBlock }: ContractReport): string[] => [
  `Chain        ${chainId}`,
  `Contract     ${checksumAddress(address)}`,
  `Code         ${codes[code]}`,
  `First block  ${firstBlock ?? 'not known: the node keeps no old states'}`,
];
