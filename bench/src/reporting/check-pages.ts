import { stalePages } from './pages.ts';

/** Fails when docs/performance.md or the README differs from `bench/results/`. */
for (const path of await stalePages()) {
  console.error(`${path} is stale: run npm run bench -- --page`);
  process.exitCode = 1;
}
