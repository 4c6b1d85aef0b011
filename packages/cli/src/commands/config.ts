import { type Command, Option } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { type ServiceName, serviceNames } from '../provisioning.ts';
import { SettingsError } from '../settings-error.ts';
import { checkSettings } from '../settings-page/service-settings.ts';

type ConfigOptions = GlobalOptions & { readonly markdown?: true; readonly check?: ServiceName };

/** `config` */
export function addConfigCommand(program: Command, context: CommandContext): void {
  program
    .command('config')
    .description('what services read from the environment')
    .option('--markdown', 'print every variable of services and command line, as docs/configuration.md has them')
    .addOption(
      new Option(
        '--check <service>',
        'read the settings of a service from this environment; print every fault, or what they are in effect, without secrets',
      ).choices(serviceNames),
    )
    .action(async (_options, command: Command) => {
      const options = command.optsWithGlobals<ConfigOptions>();
      if (options.check !== undefined) return check(context, options.check, options);
      if (options.markdown !== true) command.error('error: --markdown or --check <service> is missing');
      // Loaded here: it is of no use to other commands.
      const { settingsPage } = await import('../settings-page/settings-page.ts');
      context.out((await settingsPage()).trimEnd());
    });
}

async function check(context: CommandContext, service: ServiceName, { json }: GlobalOptions): Promise<void> {
  const found = await checkSettings(service, context.config.everything());
  if ('faults' in found) {
    if (json) context.out(JSON.stringify(found));
    else for (const { name, text } of found.faults) context.out(`${name} ${text}`);
    throw new SettingsError(`the settings of ${service} are invalid`);
  }
  if (json) return context.out(JSON.stringify(found.settings));
  for (const [name, value] of Object.entries(found.settings)) context.out(`${name}=${value}`);
}
