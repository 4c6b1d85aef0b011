import { withoutSecrets } from '@indelible/service-runtime';
import { createConfig } from './config.ts';
import { findInstallation } from './find-installation.ts';
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  config: createConfig(process.env, findInstallation(process.cwd())),
  out: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${withoutSecrets(text)}\n`),
});
