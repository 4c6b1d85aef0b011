import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';

const main = resolve(import.meta.dirname, '../src/main.ts');

it('a command whose reader leaves, such as `| head`, is done to its end all the same', async () => {
  const command = spawn(process.execPath, [main, 'config', '--markdown'], { stdio: ['ignore', 'pipe', 'pipe'] });
  command.stdout.destroy();
  const [[code], noted] = await Promise.all([once(command, 'exit'), text(command.stderr)]);
  expect([code, noted]).toEqual([0, '']);
}, 60_000);
