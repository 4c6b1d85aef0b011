import type { Writable } from 'node:stream';
import { settlesWithin, UnavailableError } from '@indelible/service-runtime';

/** Interval of the signs to the peer that its request is still in progress, while nothing else is sent. */
export const signOfLifeMs = 5_000;

/** Pages end where JSON allows white space. */
const space = Buffer.from(' ');

/**
 * Writes as fast as it is read; nothing is written before the first page is known. Pages share memory, so the next is
 * requested only when the previous one is sent. While a page takes long, white space is sent as a sign of life.
 */
export async function sendAnswer(
  pages: AsyncGenerator<Buffer>,
  begin: () => Writable,
  signal: AbortSignal,
  stillMs: number,
): Promise<void> {
  const first = await pages.next();
  if (first.done === true) throw new Error('an answer without a page');
  const answer = begin();
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => {});
  const abort = (): void => broken.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  answer.once('error', broken.reject);
  const inTime = async (taken: Promise<void>): Promise<void> => {
    const timer = setTimeout(() => broken.reject(new UnavailableError('the reader does not read')), stillMs);
    await Promise.race([taken, broken.promise]).finally(() => clearTimeout(timer));
  };
  try {
    signal.throwIfAborted();
    await inTime(left(answer, first.value));
    for (;;) {
      const next = pages.next();
      while (!(await settlesWithin(signOfLifeMs, next))) await inTime(left(answer, space));
      const { done, value } = await next;
      if (done === true) break;
      await inTime(left(answer, value));
    }
    await inTime(ended(answer));
  } finally {
    signal.removeEventListener('abort', abort);
    await pages.return(undefined);
  }
}

const left = (answer: Writable, page: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    answer.write(page, (error) => (error ? reject(error) : resolve()));
  });

const ended = (answer: Writable): Promise<void> => new Promise((resolve) => answer.end(resolve));
