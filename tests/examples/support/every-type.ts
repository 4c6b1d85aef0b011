import { newId } from '@indelible/identifiers';
import { publicEventTypes } from '@indelible/public-events';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import { type Gateway, startGateway } from '../../../services/gateway/tests/gateway-harness.ts';
import {
  account,
  accountOpened,
  collectionCreated,
  collectionRegistered,
  confirmed,
  failed,
  fileFailed,
  fileStored,
  finalized,
  reverted,
  stampOf,
  submitted,
} from '../../../services/notifications/tests/support/messages.ts';
import {
  createSurroundings,
  distinct,
  readRecord,
  type Surroundings,
} from '../../../services/notifications/tests/support/notifications.ts';
import { startReceiver } from '../../../services/notifications/tests/support/receiver.ts';

/** Every type there is, sorted. */
export const everyType = publicEventTypes.map(({ name, version }) => `com.indelible.${name}.v${version}`).sort();

/** An event of every type on the real topic, whose `dataschema` a real gateway serves. */
export async function publishEveryType() {
  const gateway: Gateway = await startGateway();
  const world: Surroundings = await createSurroundings();
  await world.start({ publicUrl: gateway.base.replace('/api/v1', '') });
  const gone = await startReceiver(() => ({ status: 410 }));
  const created = await fetch(`${world.url()}/internal/webhooks?account=${account}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: gone.url, types: ['stamp.confirmed'] }),
  });
  expect(created.status).toBe(201);
  const [one, two] = [stampOf({ clientRef: 'row 1' }), stampOf({ clientRef: null })];
  const batchId = newId();
  await world.publish(
    accountOpened(),
    collectionRegistered(),
    collectionCreated(),
    submitted(batchId, [one]),
    confirmed(batchId, one),
    reverted(batchId, one),
    confirmed(batchId, one, 'block 2'),
    finalized(batchId, [one], 'block 2'),
    fileStored(one),
    fileFailed(one),
    failed(two),
  );
  await eventually(
    () => {
      const types = new Set(distinct(world.records).map(({ headers }) => headers.ce_type));
      expect([...types].sort()).toEqual(everyType);
    },
    { timeoutMs: 60_000 },
  );
  return {
    topic: `${world.config.publicTopicPrefix}stamps.v1`,
    brokers: world.kafka.brokers.join(','),
    group: world.kafka.name('every-type'),
    /** With its value as text, as a client has it. */
    records: world.records.map((record) => ({ ...readRecord(record), value: record.value })),
    async stop() {
      await world.stop();
      await gone.stop();
      await gateway.dispose();
    },
  };
}
export type EveryType = Awaited<ReturnType<typeof publishEveryType>>;
