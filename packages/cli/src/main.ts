import { withoutSecrets } from '@indelible/service-runtime';
import { createConfig } from './config.ts';
import { findInstallation } from './find-installation.ts';
import { runCommand } from './program.ts';

// A reader that closes the pipe, such as `| head`, does not stop a command: the rest is just not printed.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = await runCommand(process.argv.slice(2), {
  config: createConfig(process.env, findInstallation(process.cwd())),
  out: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${withoutSecrets(text)}\n`),
});
