import { hashContent } from './hash-content.ts';
import type { Job } from './jobs.ts';
import { matchObjects } from './match-objects.ts';
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
  }
}
