import type { Hex } from '@indelible/identifiers';
import type { DailyQuota } from './daily-quotas.ts';

/**
 * Counts the bytes of one content for its account's day, as they come.
 * @param announced bytes that the client announced: content over the quota is refused at once
 */
export function countContent(quota: Pick<DailyQuota, 'take' | 'give'>, account: Hex, announced: number) {
  let taken = 0;
  let counted = 0;
  let used = 0;
  return {
    /** @throws HttpError 429 over the account's quota; none of this content counts then */
    async take(bytes: number): Promise<void> {
      if (used + bytes > taken) {
        const more = Math.max(used + bytes, announced) - taken;
        try {
          const { isCounted } = (await quota.take(account, more)) ?? { isCounted: true };
          if (isCounted) counted += more;
        } catch (error) {
          used = 0;
          throw error;
        }
        taken += more;
      }
      used += bytes;
    },
    /** Must always be called: gives back announced bytes that did not arrive. */
    end(): void {
      const unused = Math.min(taken - used, counted);
      if (unused > 0) quota.give(account, unused);
      taken = used;
    },
  };
}
