import { newId } from '@indelible/identifiers';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { confirmed, hash, shownAccount, stampOf } from '../support/messages.ts';
import { createSurroundings, header, type Surroundings } from '../support/notifications.ts';

let world: Surroundings;
beforeAll(async () => {
  world = await createSurroundings();
  await world.start();
}, 120_000);
afterAll(() => world.stop(), 60_000);

describe('the public topic', () => {
  it('has an event of a confirmation', async () => {
    const stamp = stampOf({ clientRef: 'row 1' });
    await world.publish(confirmed(newId(), stamp));
    await eventually(() => expect(world.records).toHaveLength(2), { timeoutMs: 20_000 });
    const [, record] = world.records;
    expect(record?.key?.toString()).toBe(`${stamp.account}/${hash('Forest')}`);
    expect(JSON.parse(String(record?.value))).toMatchObject({ stamp_id: stamp.stampId, user_address: shownAccount });
    expect(header(record!, 'ce_type')).toBe('com.indelible.stamp.confirmed.v1');
  });
});
