import { randomBytes } from 'node:crypto';
import { eventually } from '@indelible/testing';
import { expect } from '@jest/globals';
import type { Receipt } from '../../e2e/support/client.ts';
import { patienceMs, type RestorableStack } from './restorable-stack.ts';

export type Fields = Readonly<Record<string, string>>;
export type Stamped = { readonly fields: Fields; readonly location: string; readonly receipt: Receipt };
type PublicEvent = { readonly id: string };

/** A stamp of an object of its own, idempotent for a day. */
export const fieldsOf = (collection: string): Fields => ({
  data_cid: `0x${randomBytes(32).toString('hex')}`,
  collection_name: collection,
  idempotency_window: '86400',
});

/** What a client of the stack does. */
export function createRequests(running: () => RestorableStack) {
  return {
    /** Stamps and waits for the receipt. */
    async stamp(fields: Fields): Promise<Stamped> {
      const { status, location, body } = await running().client().stamp(fields);
      expect([status, body]).toEqual([201, expect.anything()]);
      return { fields, location: location ?? '', receipt: body.commitment_receipt };
    },
    /** @returns where the status is of what was accepted */
    async accept(fields: Fields): Promise<string> {
      const { status, location, body } = await running().client().stamp(fields, undefined, { prefer: 'respond-async' });
      expect([status, body]).toEqual([202, expect.anything()]);
      return location ?? '';
    },
    /** Waits for the receipt of what was accepted. */
    receiptOf: (location: string): Promise<Receipt> =>
      eventually(
        async () => {
          const { body } = await running().client().status(location);
          if (body.commitment_receipt === undefined) throw new Error(`${location} is ${body.status}`);
          return body.commitment_receipt;
        },
        { timeoutMs: patienceMs },
      ),
    /** The ids of all confirmations that subscribers are told of. */
    async confirmations(): Promise<readonly string[]> {
      const path = '/events?wait=0&limit=1000&types=stamp.confirmed';
      const { body } = await running().client().get<{ events: readonly PublicEvent[] }>(path);
      return body.events.map(({ id }) => id).sort();
    },
  };
}
