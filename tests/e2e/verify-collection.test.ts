import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

jest.setTimeout(120_000);

let running: RunningStack;
beforeAll(async () => {
  running = await startRunningStack();
});
afterAll(() => running?.stop());

type Verified = {
  readonly display_timezone: string;
  readonly collections: readonly {
    readonly name: string | null;
    readonly matched_receipts: readonly { readonly object_cid: string }[];
    readonly unmatched_objects: readonly { readonly cid: string; readonly timestamp: string }[];
    readonly unmatched_receipts: readonly { readonly object_cid: string }[];
  }[];
};

const cidOf = (text: string): string => `0x${sha3.sha3_256(text)}`;

describe('a list of 20,000 objects, as CSV', () => {
  it('streams through the gateway and the matching: stamps match at once after their 201 (I9), all else comes back as sent', async () => {
    const receipts = [];
    for (const text of ['one', 'two', 'left out']) {
      const stamped = await running.client.stamp({ data: text, collection_name: 'Checked' });
      expect(stamped.status).toBe(201);
      receipts.push(stamped.body.commitment_receipt);
    }
    const [one, two, leftOut] = receipts.map((receipt) => receipt.object_cid);
    const row = (cid: string, timestamp: string): string => `${timestamp},${cid},"a, b"\r\n`;
    const strangers = Array.from({ length: 19_998 }, (_, i) => cidOf(`stranger ${i}`));
    const sent = '2024-05-06 07:08:09.123+02:00';
    const response = await fetch(`${running.connection.rootUrl}/api/v1/collections/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.connection.apiKey}`, 'content-type': 'text/csv' },
      body: `\ufeffcollection_name,user_address\r\nchecked,\r\nt,c,f\r\n${receipts
        .slice(0, 2)
        .map((receipt) => row(receipt.object_cid, receipt.timestamp))
        .join('')}${strangers.map((cid) => row(cid, sent)).join('')}`,
    });
    expect(response.status).toBe(200);
    const { display_timezone: timezone, collections } = (await response.json()) as Verified;
    expect(timezone).toBe('UTC');
    expect(collections).toHaveLength(1);
    const [found] = collections as [Verified['collections'][number]];
    expect(found.name).toBe('Checked');
    expect(new Set(found.matched_receipts.map((receipt) => receipt.object_cid))).toEqual(new Set([one, two]));
    expect(found.unmatched_receipts.map((receipt) => receipt.object_cid)).toEqual([leftOut]);
    expect(new Set(found.unmatched_objects.map((object) => object.timestamp))).toEqual(new Set([sent]));
    expect(new Set(found.unmatched_objects.map((object) => object.cid))).toEqual(new Set(strangers));
  });
});
