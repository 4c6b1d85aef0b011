import { createConfig } from './config.ts';
import { runCommand } from './program.ts';

process.exitCode = await runCommand(process.argv.slice(2), {
  config: createConfig(process.env, process.cwd()),
  out: (text) => void process.stdout.write(`${text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
});
