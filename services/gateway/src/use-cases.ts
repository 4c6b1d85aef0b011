import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import type { Publisher } from '@indelible/kafka';
import type { StampFacts } from '@indelible/messages';
import type { Logger } from '@indelible/service-runtime';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import type { DailyQuota } from './limits/daily-quotas.ts';
import type { Neighbours } from './neighbours/create-neighbours.ts';
import { createLineWindow } from './use-cases/batching/line-window.ts';
import { createBatchObservations } from './use-cases/batching/observations.ts';
import type { BatchPorts, BatchRequest } from './use-cases/batching/ports.ts';
import { stampBatch } from './use-cases/batching/stamp-batch.ts';
import type { CollectionLookup } from './use-cases/collections/collection-lookup.ts';
import { type CollectionRequest, createCollection } from './use-cases/collections/create-collection.ts';
import type { Outcomes } from './use-cases/commands/create-outcomes.ts';
import type { FindStamps } from './use-cases/stamping/find-stamps.ts';
import { type AsideRequest, keepAside } from './use-cases/stamping/keep-aside.ts';
import type { NewestBlocks } from './use-cases/stamping/newest-block.ts';
import { type StampPorts, stamp } from './use-cases/stamping/stamp.ts';
import type { StampRequest } from './use-cases/stamping/stamp-request.ts';
import { type UploadPorts, type UploadRequest, upload } from './use-cases/uploading/upload.ts';

/** What publishes a command, each with its ports. */
export function createUseCases(
  config: Pick<Config, 'maxBatchWindow' | 'waitLimitMs'>,
  options: {
    /** Where the replies to its commands go. */
    readonly instanceId: string;
    readonly commands: Pick<Publisher, 'publish'>;
    readonly outcomes: Outcomes;
    readonly stampQuota: DailyQuota;
    readonly newestBlocks: NewestBlocks;
    readonly collections: CollectionLookup;
    readonly findStamps: FindStamps;
    readonly factsOf: (id: string) => Promise<StampFacts | undefined>;
    readonly neighbours: Pick<Neighbours, 'findCommitments' | 'findUpload'>;
    readonly logger: Logger;
    readonly metrics: Registry;
  },
) {
  const { commands, collections, findStamps, newestBlocks, neighbours } = options;
  const { replies, locks, poller, waitingRoom } = options.outcomes;
  const waiting = {
    instanceId: options.instanceId,
    publisher: commands,
    replies,
    waitingRoom,
    stampQuota: options.stampQuota,
    now: Date.now,
  };
  const stamping: StampPorts = {
    ...waiting,
    locks,
    poller,
    newestBlocks,
    collections,
    findStamp: async (account: Hex, id, gone) => (await findStamps(account, [id], gone)).stamps.get(id),
    factsOf: options.factsOf,
  };
  const window = createLineWindow(config.maxBatchWindow);
  const batching: BatchPorts = {
    ...waiting,
    poller,
    newestBlocks,
    collections,
    window,
    observations: createBatchObservations({ logger: options.logger, metrics: options.metrics, window }),
    waitLimitMs: config.waitLimitMs,
  };
  const uploading: UploadPorts = {
    ...waiting,
    newestBlocks,
    findCommitments: neighbours.findCommitments,
    findUpload: neighbours.findUpload,
  };
  const creating = { ...waiting, lookup: collections, cidOfName: cidOfCollectionName };
  return {
    stamp: (request: StampRequest) => stamp(stamping, request),
    keepAside: (request: AsideRequest) => keepAside(waiting, request),
    stampBatch: (request: BatchRequest) => stampBatch(batching, request),
    upload: (request: UploadRequest) => upload(uploading, request),
    createCollection: (request: CollectionRequest) => createCollection(creating, request),
  };
}
