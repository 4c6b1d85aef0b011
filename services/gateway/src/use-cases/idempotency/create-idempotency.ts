import type { StampFacts } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import type { Logger } from '@indelible/service-runtime';
import type { WaitingRoom } from '../stamping/waiting-room.ts';
import { createCurrentAnswer } from './current-answer.ts';
import { createKeyStore } from './key-store.ts';
import { createKeyedRequests, type KeyedRequests } from './keyed-requests.ts';

/** Requests under an `Idempotency-Key`, with their keys in the gateway's schema. */
export const createIdempotency = (ports: {
  readonly database: Database;
  readonly factsOf: (id: string) => Promise<StampFacts | undefined>;
  readonly waitingRoom: WaitingRoom;
  readonly logger: Logger;
}): KeyedRequests =>
  createKeyedRequests({
    store: createKeyStore(ports.database),
    currentAnswer: createCurrentAnswer(ports.factsOf),
    waitingRoom: ports.waitingRoom,
    logger: ports.logger,
  });
