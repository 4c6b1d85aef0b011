import { Argument, Command } from 'commander';

type Flags = Readonly<Record<'quick' | 'large' | 'page' | 'hold' | 'hotPath', boolean>>;

/** Reads the command line; prints faults or `--help` and ends the process. */
export function readOptions(
  argv: readonly string[],
  known: readonly string[],
  hotPath: readonly string[],
): Flags & { readonly names: readonly string[] } {
  const command = new Command('npm run bench --')
    .description('Measure Indelible beside its baselines; the results go to bench/results/, too.')
    .addArgument(new Argument('[names...]', 'which scenarios, all by default').choices(known))
    .option('--hot-path', `only ${hotPath.join(', ')}: at most 25 minutes`, false)
    .option('--quick', 'only see that each scenario runs; its figures mean nothing', false)
    .option('--large', 'growth also with 10,000,000 stamps, which takes half an hour more', false)
    .option('--hold', 'fail when a bound is not kept: those of stamp-costs hardly depend on the machine', false)
    .option(
      '--page',
      'measure nothing: write the tables of docs/performance.md and the README from bench/results/',
      false,
    )
    .parse(argv, { from: 'user' });
  const flags = command.opts<Flags>();
  const all = flags.hotPath ? hotPath : known;
  return { ...flags, names: command.args.length === 0 ? all : [...new Set(command.args)] };
}
