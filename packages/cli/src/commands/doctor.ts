import { type Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type CheckName, checkNames, partsOf } from '../doctor/running/check-names.ts';
import type { DoctorSettings, Verdict } from '../doctor.ts';
import { SettingsError } from '../settings-error.ts';
import { parseCount, parseSeconds } from './parse-options.ts';

type DoctorOptions = GlobalOptions & {
  readonly only?: readonly CheckName[];
  readonly sha3?: true;
  readonly recheckAfter: number;
  readonly grace: number;
  readonly overdue: number;
  readonly show: number;
  readonly pageSize: number;
};

/** `doctor`; `conclude` gets its exit code. */
export function addDoctorCommand(
  program: Command,
  context: CommandContext,
  conclude: (verdict: Verdict) => void,
): void {
  program
    .command('doctor')
    .description(
      'compares chain, event stores, read models and stored files; only reads. Ends with 0 when all is clean, 1 when something differs, 2 when something could not be looked at',
    )
    .addOption(new Option('--only <checks...>', 'these checks alone').choices(checkNames))
    .option('--sha3', 'hash the content of every stored file, besides its checksum')
    .option('--recheck-after <seconds>', 'look again at what differs after so long', parseSeconds, 5)
    .option('--grace <seconds>', 'what is younger is on its way, and not judged', parseSeconds, 60)
    .option('--overdue <seconds>', 'after so long a stamp should have come to an end', parseSeconds, 900)
    .option('--show <count>', 'print so many differences of a check; all are counted', parseCount, 20)
    .option('--page-size <count>', 'rows of one statement', parseCount, 500)
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<DoctorOptions>();
      try {
        conclude(await examineAll(context, options));
      } catch (error) {
        // Not begun: nothing was checked.
        if (!(error instanceof SettingsError)) throw error;
        context.note(`indelible: ${error.message}`);
        conclude(2);
      }
    });
}

async function examineAll(context: CommandContext, options: DoctorOptions): Promise<Verdict> {
  // Loaded here: its many imports would slow down every other command.
  const { linesOf, runDoctor, summaryOf, verdictOf } = await import('../doctor.ts');
  const checks = options.only ?? checkNames;
  const settings: DoctorSettings = {
    ...(await context.config.doctor(new Set(checks.flatMap((check) => partsOf[check])))),
    checks,
    sha3: options.sha3 === true,
    recheckAfterMs: options.recheckAfter * 1_000,
    graceSeconds: options.grace,
    overdueSeconds: options.overdue,
    mostShown: options.show,
    pageSize: Math.min(options.pageSize, mostPageSize),
  };
  const findings = await runDoctor(settings, (finding) => {
    if (!options.json) for (const line of linesOf(finding)) context.out(line);
  });
  context.out(options.json ? JSON.stringify({ verdict: verdictOf(findings), findings }) : summaryOf(findings));
  return verdictOf(findings);
}

/** Bounds what is in memory at once. */
const mostPageSize = 5_000;
