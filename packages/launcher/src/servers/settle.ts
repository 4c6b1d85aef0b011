/**
 * Waits until every promise has settled. If one rejects, `giveUp` is called at once, so that the others end soon, and
 * the first rejection is thrown when they have: nothing continues in the background.
 */
export async function settle<T>(promises: readonly Promise<T>[], giveUp: () => void): Promise<T[]> {
  const failures: unknown[] = [];
  const results = await Promise.allSettled(
    promises.map((promise) =>
      promise.catch((error: unknown) => {
        failures.push(error);
        giveUp();
        throw error;
      }),
    ),
  );
  if (failures.length > 0) throw failures[0];
  return results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
}
