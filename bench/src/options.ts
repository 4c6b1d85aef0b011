import { Argument, Command, InvalidArgumentError } from 'commander';

export type BenchOptions = {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly large: boolean;
  readonly page: boolean;
  readonly hold: boolean;
  readonly enduranceSeconds: number;
};

/** Reads the command line; it reports faults, and `--help`, and ends the process then. */
export function readOptions(
  argv: readonly string[],
  known: readonly string[],
  hotPath: readonly string[],
): BenchOptions {
  const command = new Command('npm run bench --')
    .description('Measure Indelible beside its baselines; the results go to bench/results/, too.')
    .addArgument(new Argument('[names...]', 'which scenarios, all by default').choices(known))
    .option('--hot-path', `only ${hotPath.join(', ')}: at most 25 minutes`, false)
    .option('--quick', 'only see that each scenario runs; its figures mean nothing', false)
    .option('--large', 'growth also with 10,000,000 stamps, which takes half an hour more', false)
    .option('--endurance-seconds <seconds>', 'how long stamps-endurance stamps', readSeconds, 600)
    .option('--hold', 'fail when a bound is not kept: those of stamp-costs hardly depend on the machine', false)
    .option(
      '--page',
      'measure nothing: write the tables of docs/performance.md and the README from bench/results/',
      false,
    )
    .parse(argv, { from: 'user' });
  const options = command.opts<Omit<BenchOptions, 'names'> & { readonly hotPath: boolean }>();
  const all = options.hotPath ? hotPath : known;
  return { ...options, names: command.args.length === 0 ? all : [...new Set(command.args)] };
}

function readSeconds(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be an integer from 1 to 99999.');
  return Number(text);
}
