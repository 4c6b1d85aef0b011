import type { Hex } from '@indelible/identifiers';
import type { StampFacts } from '@indelible/messages';
import type { StampAnswer } from '../stamping/stamp.ts';
import type { KeptAnswer } from './key-store.ts';

/** The current form of a kept response. @throws UnavailableError when it is unknown */
export type CurrentAnswer = (account: Hex, answer: KeptAnswer) => Promise<StampAnswer>;

/**
 * Only a reorg changes a response, so that none names a transaction that left the chain (I4). Its receipt is the
 * current one; while there is none, the stamp is pending again.
 */
export const createCurrentAnswer =
  (factsOf: (id: string) => Promise<StampFacts | undefined>): CurrentAnswer =>
  async (account, answer) => {
    if (answer.kind === 'accepted') return answer;
    const { stampId } = answer;
    const stamp = await factsOf(stampId);
    if (stamp === undefined || stamp.account !== account) return answer;
    return stamp.receipt === null ? { kind: 'pending', stampId } : { ...answer, receipt: stamp.receipt };
  };
