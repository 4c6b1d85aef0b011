/**
 * The work's result, or the error from `late` after `ms`. The work is not cancelled: it runs to its end, and its
 * outcome is dropped.
 * @throws what the work throws; what `late` returns
 */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), ms);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the work settles within `ms`, either way. Resolves as soon as that is known; never rejects. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = Promise.withResolvers<false>();
  const timer = setTimeout(() => over.resolve(false), ms);
  const settled = work.then(
    () => true,
    () => true,
  );
  const inTime = await Promise.race([settled, over.promise]);
  clearTimeout(timer);
  return inTime;
}
