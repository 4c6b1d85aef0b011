import type { Hex } from '@indelible/identifiers';
import type { StampFacts } from '../decisions/stamp-view.ts';
import type { StampAnswer } from '../stamping/stamp.ts';
import type { KeptAnswer } from './key-store.ts';

/** What a kept answer says now. @throws UnavailableError when that is not known */
export type CurrentAnswer = (account: Hex, answer: KeptAnswer) => Promise<StampAnswer>;

/**
 * Only a reorg changes what was answered: no answer points to a transaction that vanished (I4). Its receipt is the one that the chain holds now;
 * while it has none, the stamp is on its way again.
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
