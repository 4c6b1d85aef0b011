import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingsPage } from '../src/settings-page/settings-page.ts';

/** Writes docs/configuration.md. With `--check` it only compares, and ends with 1 when the committed file differs. */
const path = join(import.meta.dirname, '../../../docs/configuration.md');
const page = await settingsPage();
if (!process.argv.includes('--check')) await writeFile(path, page);
else if ((await readFile(path, 'utf8').catch(() => undefined)) !== page) {
  console.error(
    'docs/configuration.md is stale: npm run --silent indelible -- config --markdown > docs/configuration.md',
  );
  process.exitCode = 1;
}
