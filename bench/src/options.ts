import { Argument, Command } from 'commander';

export type BenchOptions = { readonly names: readonly string[]; readonly quick: boolean };

/** Reads the command line; it tells of faults, and of `--help`, and ends the process then. */
export function readOptions(argv: readonly string[], known: readonly string[]): BenchOptions {
  const command = new Command('npm run bench --')
    .description('Measure Indelible beside its baselines; the results go to bench/results/, too.')
    .addArgument(new Argument('[names...]', 'which scenarios, all by default').choices(known))
    .option('--quick', 'only see that each scenario runs; its figures mean nothing', false)
    .parse(argv, { from: 'user' });
  const names = command.args.length === 0 ? known : [...new Set(command.args)];
  return { names, quick: command.opts<{ quick: boolean }>().quick };
}
