import { appendEvents, claimMessages } from '@indelible/event-store';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import {
  type Claim,
  type Confirmation,
  followStamp,
  type RefusalMessage,
  type StampFact,
  type StampMessage,
  type StampState,
  unknownStamp,
} from '../decisions/follow-stamp.ts';
import { readFailed, saveFailed } from '../tables/files.ts';
import { dropClaims, insertConfirmations, readStamps, saveClaims, saveConfirmations } from '../tables/stamps.ts';
import type { LookedUp } from './confirm-unheard.ts';
import { fileFailed } from './file-failed.ts';
import { type Plan, planFiles } from './plan-files.ts';

/** The inbox name. */
export const consumerName = 'storage';

export type Recorded = {
  /** Staged content that this transaction leaves unclaimed: discarded, or swept later. */
  readonly discards: readonly string[];
  readonly failed: readonly { readonly stampId: string; readonly fault: string }[];
};

/**
 * The first half of storing: decides what the messages mean for files, and records it in one transaction with the inbox
 * (I5): whose content is claimed, and the path of each file that is due. Moves nothing yet. Messages that stamps
 * without content are off the chain, or never will be on it, change nothing and leave nothing.
 */
export async function recordStamps(
  database: Pick<Database, 'transaction' | 'schema'>,
  messages: readonly (StampMessage | RefusalMessage)[],
  now: () => Date = () => new Date(),
): Promise<Recorded> {
  return await decideInTransaction(database, async (client) => {
    const before = await readStamps(client, stampIdsOf(messages));
    const effective = withoutIdle(messages, before);
    const unseen = await claimMessages(
      client,
      consumerName,
      effective.map((message) => message.id),
    );
    const fresh = effective.filter((message) => unseen.delete(message.id));
    return apply(client, database.schema, fresh, before, now);
  });
}

/**
 * Records what looked-up confirmations mean for files, as StampConfirmed would: content that waits for the stamp is
 * due. Skips what arrived in between.
 */
export async function recordLookedUp(
  database: Pick<Database, 'transaction' | 'schema'>,
  confirmations: readonly LookedUp[],
  now: () => Date = () => new Date(),
): Promise<Recorded> {
  return await decideInTransaction(database, async (client) => {
    const before = await readStamps(client, stampIdsOf(confirmations));
    const due = confirmations.filter(({ data }) => {
      const state = before.get(data.stampId) ?? unknownStamp;
      return state.claim !== null && state.confirmation?.onChain !== true;
    });
    return apply(client, database.schema, due, before, now);
  });
}

type Effect = RefusalMessage | StampFact;

const stampIdsOf = (messages: readonly Effect[]): string[] => [
  ...new Set(messages.flatMap((message) => (message.type === 'StampRequestRefused' ? [] : [message.data.stampId]))),
];

/** Drops losses of stamps of which nothing is known, before or from these messages. */
function withoutIdle(
  messages: readonly (StampMessage | RefusalMessage)[],
  before: ReadonlyMap<string, StampState>,
): readonly (StampMessage | RefusalMessage)[] {
  const known = new Set(
    [...before].flatMap(([stampId, { confirmation, claim, file }]) =>
      confirmation === null && claim === null && file === null ? [] : [stampId],
    ),
  );
  return messages.filter((message) => {
    if (message.type === 'StampRequestRefused') return true;
    const { stampId } = message.data;
    if (message.type !== 'StampReverted' && message.type !== 'StampFailed') known.add(stampId);
    return known.has(stampId);
  });
}

async function apply(
  client: Client,
  schema: string,
  messages: readonly Effect[],
  before: ReadonlyMap<string, StampState>,
  now: () => Date,
): Promise<Recorded> {
  const discards: string[] = [];
  const byStamp = new Map<string, StampFact[]>();
  for (const message of messages)
    if (message.type === 'StampRequestRefused') {
      if (message.data.content !== null) discards.push(message.data.content.stagedId);
    } else {
      const { stampId } = message.data;
      byStamp.set(stampId, [...(byStamp.get(stampId) ?? []), message]);
    }
  const failed: { stampId: string; fault: string }[] = [];
  const confirmations: { stampId: string; confirmation: Confirmation; isFirst: boolean }[] = [];
  const claims: { stampId: string; claim: Claim; own: boolean }[] = [];
  const unclaimed: string[] = [];
  const unstorable: string[] = [];
  /** Failures without an event yet, since too little was known of an unconfirmed stamp. */
  const failedBefore: string[] = [];
  const plans: Plan[] = [];
  for (const [stampId, stampMessages] of byStamp) {
    const known = before.get(stampId) ?? unknownStamp;
    const { state, planned, discards: dropped, faults } = followStamp(known, stampMessages);
    discards.push(...dropped);
    for (const fault of faults) failed.push({ stampId, fault });
    if (state.file === 'failed' && known.file !== 'failed') unstorable.push(stampId);
    if (state.confirmation !== null && state.confirmation !== known.confirmation)
      confirmations.push({ stampId, confirmation: state.confirmation, isFirst: known.confirmation === null });
    if (known.file === 'failed' && known.confirmation === null && state.confirmation !== null)
      failedBefore.push(stampId);
    if (known.claim !== null && state.claim?.stagedId !== known.claim.stagedId) unclaimed.push(stampId);
    if (state.claim !== null && state.claim.stagedId !== known.claim?.stagedId)
      claims.push({ stampId, claim: state.claim, own: isOwn(state.claim, stampMessages) });
    if (planned !== null && state.claim !== null && state.confirmation !== null)
      plans.push({
        stampId,
        claim: state.claim,
        confirmation: state.confirmation,
        announcement: planned,
        came: 'with-stamp',
      });
  }
  await insertConfirmations(
    client,
    confirmations.filter(({ isFirst }) => isFirst),
  );
  await saveConfirmations(
    client,
    confirmations.filter(({ isFirst }) => !isFirst),
  );
  await dropClaims(client, unclaimed);
  await saveClaims(client, claims);
  for (const lost of await planFiles(client, plans)) {
    failed.push(lost);
    unstorable.push(lost.stampId);
    discards.push(lost.stagedId);
  }
  const lost = [...(await saveFailed(client, unstorable)), ...(await readFailed(client, failedBefore))];
  await appendEvents(
    client,
    schema,
    lost.map((file) => fileFailed(file, now())),
  );
  return { discards, failed };
}

/** Whether content came with its stamp, and not with a joining request. */
const isOwn = ({ stagedId }: Claim, messages: readonly StampFact[]): boolean =>
  !messages.some((message) => message.type === 'StampRequestJoined' && message.data.content?.stagedId === stagedId);
