import { createHash } from 'node:crypto';
import { contentOf } from './content.ts';
import type { HashJob, HashOutcome } from './jobs.ts';

export function hashContent({ seed, size }: HashJob): HashOutcome {
  const hash = createHash('sha3-256');
  const began = performance.now();
  for (const chunk of contentOf(seed, size)) hash.update(chunk);
  return { cid: `0x${hash.digest('hex')}`, seconds: (performance.now() - began) / 1_000 };
}
