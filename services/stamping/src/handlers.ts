import type { ConfirmationDepth } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { type Handle, mergePartitions, messagesOf } from '@indelible/kafka';
import { AccountOpened, CreateCollection } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { ReplySender } from '@indelible/redis';
import { failpoint, handleInSteps, processing, type RepublishRequests, type Tracing } from '@indelible/service-runtime';
import { handleAccountsOpened } from './accounts/handle-account-opened.ts';
import type { StoreAge } from './batching/store-age.ts';
import { cutChainFacts, handleChainFacts } from './confirming/handle-chain-facts.ts';
import { handleCollectionRequests } from './requests/handle-collection-requests.ts';
import { handleStampRequests } from './requests/handle-stamp-requests.ts';
import type { Intake } from './requests/intake.ts';
import { stampRequestOf } from './requests/stamp-request-of.ts';
import type { Telemetry } from './telemetry.ts';

/**
 * The message handlers of each topic: a use case decides and records in one transaction, then the waiting callers get
 * the outcome. Nothing is handled while the database is older than the chain.
 */
export function createHandlers(parts: {
  readonly database: Database;
  readonly age: StoreAge;
  readonly intake: Intake;
  readonly republishing: RepublishRequests;
  readonly replies: ReplySender;
  readonly telemetry: Telemetry;
  readonly tracing: Tracing;
  readonly chainId: number;
  readonly operator: Hex;
  readonly contract: Hex;
  readonly confirmation: ConfirmationDepth;
}) {
  const { database, chainId, intake, age, republishing, replies, telemetry, tracing } = parts;
  const aged =
    (handle: Handle): Handle =>
    async (batch, context) => {
      await age.passed();
      await handle(batch, context);
    };
  return {
    stampRequests: mergePartitions(
      aged(async (batch, { topic }) => {
        let requestedAt: readonly string[] = [];
        const outcome = await handleInSteps(tracing, batch, processing(topic), (messages) => {
          const requests = messages.flatMap(stampRequestOf);
          requestedAt = requests.map(({ data }) => data.requestedAt);
          return handleStampRequests({ database, chainId, now: Date.now, intake }, requests);
        });
        failpoint('stamping.decided');
        telemetry.decided(outcome, requestedAt);
        await replies.send(outcome.replies);
      }),
    ),
    collectionRequests: mergePartitions(
      aged(async (batch, { topic }) => {
        const requests = messagesOf(batch, CreateCollection);
        const outcome = await handleInSteps(tracing, requests, processing(topic), (messages) =>
          handleCollectionRequests({ database, intake }, messages),
        );
        telemetry.decided(outcome);
        await replies.send(outcome.replies);
      }),
    ),
    accountsOpened: aged((batch) => handleAccountsOpened(parts, messagesOf(batch, AccountOpened))),
    chainFacts: aged(async (batch) => {
      const sent: Promise<void>[] = [];
      for (const facts of cutChainFacts(batch))
        await handleChainFacts(parts, facts, (outcome) => {
          if (outcome.confirmed > 0) failpoint('stamping.confirmed');
          telemetry.chainRead(outcome);
          if (outcome.followed) republishing.followed();
          if (outcome.missing !== undefined) republishing.missing(outcome.missing);
          // Replies are sent while the next facts are read.
          sent.push(replies.send(outcome.replies));
        });
      await Promise.all(sent);
    }),
  };
}
