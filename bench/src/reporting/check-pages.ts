import { stalePages } from './pages.ts';

/** Fails when docs/performance.md or the README says other things than `bench/results/`. */
for (const path of await stalePages()) {
  console.error(`${path} is stale: run npm run bench -- --page`);
  process.exitCode = 1;
}
