import type { Mark } from '../measuring/use.ts';
import { type JobName, jobs } from './jobs.ts';

/** A job a message, its outcome the answer. It ends with the process that started it. */
process.on('message', async ({ name, settings }: { readonly name: JobName; readonly settings: unknown }) => {
  const mark = (place: Mark): void => void process.send?.({ mark: place });
  try {
    const job = (await jobs[name]()) as (settings: unknown, onMark: typeof mark) => unknown;
    process.send?.({ outcome: await job(settings, mark) });
  } catch (error) {
    process.send?.({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.once('disconnect', () => process.exit());
