import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { laneWith, shown, start } from '../../tests/support/lanes.ts';
import { createFairTurns } from './fair-turns.ts';
import type { Lane } from './lane.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Turns whose requests end by a clock that the test moves. @param takesMs how long a webhook's receiver takes for its
 * 204
 */
function createWorld(most: number, takesMs: (webhookId: string) => number) {
  let now = start;
  const sent = new Map<string, number>();
  const underWay = new Map<() => void, number>();
  const turns = createFairTurns({
    most,
    now: () => now,
    send: async (lane, delivery) => {
      const { webhookId } = lane.webhook;
      const durationMs = takesMs(webhookId);
      sent.set(webhookId, (sent.get(webhookId) ?? 0) + 1);
      await new Promise<void>((resolve) => underWay.set(resolve, now + durationMs));
      lane.settle(delivery, shown(204, { durationMs }), now);
    },
  });
  return {
    turns,
    sent: (webhookId: string): number => sent.get(webhookId) ?? 0,
    /** Lets a time pass; each request ends at its own moment. */
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      for (;;) {
        const next = Math.min(...underWay.values());
        if (next > until) break;
        now = next;
        for (const [end, at] of underWay)
          if (at <= now) {
            underWay.delete(end);
            end();
          }
        await settled();
      }
      now = until;
    },
    async close(): Promise<void> {
      const closed = turns.close();
      for (const end of underWay.keys()) end();
      await closed;
    },
  };
}

const laneOf = (webhookId: string, account = '0x01', count = 50): Lane =>
  laneWith(count, { webhookId, account: account as Hex });

describe('fair turns (I12)', () => {
  it('give each account one event in turn, and in it each of its webhooks', async () => {
    const world = createWorld(12, () => 10);
    const ids = ['a', 'b', 'c', 'd'];
    for (const lane of [...ids.map((id) => laneOf(id, '0x01', 500)), laneOf('other', '0x02', 500)])
      world.turns.offer(lane);
    for (let round = 0; round < 50; round++) {
      await world.pass(10);
      expect(world.turns.inFlight()).toBeLessThanOrEqual(12);
    }
    const sent = ids.map(world.sent);
    expect(Math.max(...sent) - Math.min(...sent)).toBeLessThan(3);
    expect(world.sent('other')).toBeGreaterThanOrEqual(Math.max(...sent));
    await world.close();
    expect(world.turns.inFlight()).toBe(0);
  });

  it("let eight slow webhooks of an account delay neither its ninth, nor, of four accounts, a fifth's", async () => {
    // As many places as 32 webhooks' wide lanes take: the slow ones' pace must be limited.
    const world = createWorld(64, (id) => (id.startsWith('slow') ? 14_000 : 20));
    const accounts = ['0x01', '0x02', '0x03', '0x04'];
    for (const account of accounts)
      for (let at = 0; at < 8; at++) world.turns.offer(laneOf(`slow ${account} ${at}`, account, 2_000));
    // Long enough for each to be as wide as it gets.
    await world.pass(20 * 14_000);
    world.turns.offer(laneOf('beside', '0x01', 500));
    world.turns.offer(laneOf('fifth', '0x05', 500));
    const slowOf = (account: string) => Array.from({ length: 8 }, (_, at) => world.sent(`slow ${account} ${at}`));
    const before = accounts.flatMap(slowOf);
    await world.pass(13_000);
    expect([world.sent('beside'), world.sent('fifth')]).toEqual([500, 500]);
    // They went on at their own pace meanwhile.
    await world.pass(14_000);
    expect(accounts.flatMap(slowOf).every((sent, at) => sent > before[at]!)).toBe(true);
    await world.close();
  });

  it('leave something for the next account and the next webhook, whatever hangs', async () => {
    const world = createWorld(64, (id) => (id.startsWith('hung') ? 60_000_000 : 20));
    for (const account of ['0x01', '0x02', '0x03', '0x04'])
      for (let at = 0; at < 40; at++) world.turns.offer(laneOf(`hung ${account} ${at}`, account));
    world.turns.offer(laneOf('fifth', '0x05', 200));
    await world.pass(60_000);
    expect(world.turns.inFlight()).toBeLessThan(64);
    expect(world.sent('fifth')).toBe(200);
    await world.close();
  });
});
