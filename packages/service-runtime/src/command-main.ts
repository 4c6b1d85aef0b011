import { ConfigurationError } from './config.ts';
import { configurationExitCode } from './exit-codes.ts';
import { armFailpoints } from './failpoints/failpoint.ts';
import { readFailpoints } from './failpoints/read-failpoints.ts';
import { reasonOf } from './logging/error-for-log.ts';
import { withoutSecrets } from './logging/known-secrets.ts';

/** The entry of a program that does one thing and ends: an error is a plain line on stderr and a non-zero exit code. */
export async function commandMain(name: string, work: () => Promise<void>): Promise<void> {
  try {
    armFailpoints(readFailpoints(process.env));
    await work();
  } catch (error) {
    process.stderr.write(`${name}: ${withoutSecrets(reasonOf(error))}\n`);
    process.exitCode = error instanceof ConfigurationError ? configurationExitCode : 1;
  }
}
