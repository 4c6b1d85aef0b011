/**
 * Compiles the contract and writes src/generated/commitment-service.ts. With --check it writes nothing and fails when
 * the committed file is not what the compiler gives.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { generatedFile, renderGenerated } from './contract-compiler.ts';

const rendered = await renderGenerated();
if (process.argv.includes('--check')) {
  const committed = await readFile(generatedFile, 'utf8').catch(() => '');
  if (committed !== rendered) {
    console.error(`${generatedFile.pathname} is stale: run "pnpm generate" in @indelible/commitment-contract`);
    process.exitCode = 1;
  }
} else {
  await writeFile(generatedFile, rendered);
}
