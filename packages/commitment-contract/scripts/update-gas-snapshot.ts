/** Measures the gas of commitBatch on a fresh chain and writes gas-snapshot.json. */
import { writeFile } from 'node:fs/promises';
import { startChain } from '../tests/support/chain.ts';
import { measureGas } from '../tests/support/gas-scenarios.ts';
import { renderSnapshot, snapshotFile } from '../tests/support/gas-snapshot.ts';

const chain = await startChain();
try {
  await writeFile(snapshotFile, renderSnapshot(await measureGas(chain)));
} finally {
  await chain.stop();
}
