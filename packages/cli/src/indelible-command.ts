import { readFileSync } from 'node:fs';
import { Command } from 'commander';

/** A command that reports all missing options at once, where commander stops at the first. */
export class IndelibleCommand extends Command {
  override createCommand(name?: string): Command {
    return new IndelibleCommand(name);
  }

  /** Commander calls it for the first mandatory option without a value. */
  missingMandatoryOptionValue(): never {
    const missing = this.options.filter(
      (option) => option.mandatory && this.getOptionValue(option.attributeName()) === undefined,
    );
    const flags = missing.map(({ flags }) => `'${flags}'`).join(', ');
    this.error(`error: required ${missing.length === 1 ? 'option is' : 'options are'} missing: ${flags}`, {
      code: 'commander.missingMandatoryOptionValue',
    });
  }
}

export const exitStatusHelp = `
Exit status: 0 done; 1 not done: a server cannot be reached, or what is named (an account, a key) does not exist;
2 the command line or its values are invalid. The doctor's own: see doctor --help.`;

export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
