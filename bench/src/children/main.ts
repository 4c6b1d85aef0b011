import type { Mark } from '../measuring/use.ts';
import { type JobName, jobs } from './jobs.ts';

/** One job per message; the reply is its outcome. Ends with its parent process. */
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
