import { runAccept } from './accept.ts';
import { runClosedLoop } from './closed-loop.ts';
import { hashContent } from './hash-content.ts';
import type { Job, Mark } from './jobs.ts';
import { lookUp } from './look-up.ts';
import { matchObjects } from './match-objects.ts';
import { runOpenLoop } from './open-loop.ts';
import { runStampBatches } from './stamp-batches.ts';
import { uploadContent } from './upload-content.ts';
import { verifyList } from './verify-list.ts';

/** The process of the load: a job a message, its outcome the answer. It ends with whoever started it. */
process.on('message', (job: Job) => {
  perform(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) =>
      process.send?.({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

const mark = (place: Mark): void => void process.send?.({ mark: place });

async function perform(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'hash':
      return hashContent(job);
    case 'upload':
      return uploadContent(job);
    case 'verify':
      return verifyList(job);
    case 'match':
      return matchObjects(job);
    case 'closed loop':
      return runClosedLoop(job, mark);
    case 'open loop':
      return runOpenLoop(job, mark);
    case 'stamp batches':
      return runStampBatches(job, mark);
    case 'ethers batches':
      return (await import('./ethers-batches.ts')).runEthersBatches(job, mark);
    case 'ethers stamps':
      // Large, and needed by few.
      return (await import('./ethers-stamps.ts')).runEthersStamps(job);
    case 'accept':
      return runAccept(job, mark);
    case 'look up':
      return lookUp(job);
    case 'commit':
      return job.by === 'services'
        ? (await import('./commit-by-services.ts')).commitByServices(job)
        : (await import('./commit-by-ethers.ts')).commitByEthers(job);
  }
}
