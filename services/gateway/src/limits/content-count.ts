import type { Hex } from '@indelible/identifiers';
import type { DailyQuota } from './daily-quotas.ts';

/** Counts the bytes of one content for its account's day, as they come. */
export type ContentCount = {
  /** @throws HttpError 429 when the account's quota does not suffice: then nothing of this content counts */
  take(bytes: number): Promise<void>;
  /** To be called in any case: gives back what was announced and did not come. */
  end(): void;
};

/** @param announced bytes of it that come for sure, unless the client breaks off: what has no room is refused at once */
export function countContent(quota: Pick<DailyQuota, 'take' | 'give'>, account: Hex, announced: number): ContentCount {
  let taken = 0;
  let used = 0;
  return {
    async take(bytes) {
      if (used + bytes > taken) {
        const more = Math.max(used + bytes, announced) - taken;
        try {
          await quota.take(account, more);
        } catch (error) {
          used = 0;
          throw error;
        }
        taken += more;
      }
      used += bytes;
    },
    end() {
      if (taken > used) quota.give(account, taken - used);
      taken = used;
    },
  };
}
