import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@indelible/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Answer, Api, Receipt } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';
import { field, file, multipart, multipartType, type WrittenPart } from '../support/multipart.ts';
import { expectRefusal } from '../support/refusal.ts';

const cidOf = (content: string): string => `0x${sha3.sha3_256(content)}`;
const csv = 'Content-Type: text/csv';

/** Flows through several operations: stamp now and upload later, stamp and verify a whole collection. */
export function wholeWays(stack: () => ContractStack, ada: () => Api, eve: () => Api): void {
  const upload = (parts: readonly WrittenPart[], api = ada()): Promise<Answer> =>
    api.send({ path: '/stamps/upload-stamped-file', headers: [multipartType], body: multipart(parts) });

  describe('uploading a file that was stamped before', () => {
    const set = field('collection_name', 'Later');
    let stamped: Answer;
    beforeAll(async () => {
      stamped = await ada().stampParts([field('data_cid', cidOf('later')), set]);
      expect(stamped.status).toBe(201);
    });

    it('at once is a 201 with the receipt of the stamp and the stored file; again, also under another name, a 200 (I9)', async () => {
      const first = await upload([field('collection_name', 'LATER'), file('later.txt', 'later')]);
      expect(first).toMatchObject({ status: 201, body: { commitment_receipt: stamped.body.commitment_receipt } });
      const stored = first.body.file_object;
      expect(stored?.file_path).toBe(
        `${stack().connection.userAddress}/collections/Later/stamped/${stored?.file_name}`,
      );
      expect(await readFile(join(stack().objectsDirectory, `${stored?.file_path}`), 'utf8')).toBe('later');
      const again = await upload([
        field('collection_cid', cidOf('Later')),
        field('data', 'later'),
        field('file_name', 'b'),
      ]);
      expect(again).toMatchObject({ status: 200, body: first.body });
    });

    it('names the status resource of the stamp as soon as storage knows it: that id is in the event of its file', async () => {
      const { location } = stamped.headers;
      await eventually(async () => {
        const answer = await upload([set, file('later.txt', 'later')]);
        expect([answer.status, answer.headers.location]).toEqual([200, location]);
      });
      const id = String(location).replace(/^.*\/stamps\//, '');
      await eventually(async () => {
        const { body } = await ada().get('/events?wait=0&types=file.stored&limit=1000');
        const { events } = body as unknown as { events: { subject: string; data: { stamp_id: string } }[] };
        expect(events.filter(({ subject, data }) => subject === id && data.stamp_id === id)).toHaveLength(1);
      });
    });

    it('of content without a stamp in that collection is a 404 that names its CID', async () => {
      const answer = await upload([set, file('never.txt', 'never stamped')]);
      expectRefusal(answer, 404);
      expect(answer.body.error).toBe(`No records found for this object_cid: ${cidOf('never stamped')}`);
    });

    it("into another account's collection is a 404", async () => {
      const answer = await upload([set, file('later.txt', 'later')], eve());
      expectRefusal(answer, 404);
      expect(answer.body.error).toBe('Collection not found');
    });

    it('with a name and a CID that do not belong together is a 400 that names the CID', async () => {
      const parts = [set, field('collection_cid', cidOf('another')), file('later.txt', 'later')];
      expectRefusal(await upload(parts), 400, 'collection_cid');
    });
  });

  describe('verifying a collection', () => {
    let receipts: Receipt[];
    const unknown = { cid: cidOf('not in there'), timestamp: '2026-03-01T10:30:00.5+01:00' };
    beforeAll(async () => {
      const answers = await Promise.all(
        ['v1', 'v2', 'v3'].map((content) => ada().stamp({ data_cid: cidOf(content), collection_name: 'Verified' })),
      );
      receipts = answers.map(({ body }) => body.commitment_receipt as Receipt);
    });
    const objects = () => [
      ...receipts.slice(0, 2).map((receipt) => ({ cid: receipt.object_cid, timestamp: receipt.timestamp })),
      unknown,
    ];
    const expected = () => ({
      display_timezone: 'UTC',
      collections: [
        {
          name: 'Verified',
          cid: cidOf('Verified'),
          user_address: stack().connection.userAddress,
          matched_receipts: expect.arrayContaining(receipts.slice(0, 2)),
          unmatched_objects: [unknown],
          unmatched_receipts: receipts.slice(2),
        },
      ],
    });
    const rows = (): string =>
      `t,c,f\r\n${objects()
        .map(({ cid, timestamp }) => `${timestamp},${cid},"a, b"\r\n`)
        .join('')}`;

    it.each<[string, () => Promise<Answer>]>([
      [
        'JSON, with null for what is not given',
        () =>
          ada().postJson('/collections/verify', {
            collection_name: 'verified',
            user_address: null,
            context: null,
            objects: objects().map((one) => ({ ...one, file_name: null })),
          }),
      ],
      [
        'CSV with metadata and a byte order mark',
        () =>
          ada().send({
            path: '/collections/verify',
            headers: [csv],
            body: `\ufeffcollection_name,user_address,collection_timezone\r\nVerified,${stack().connection.userAddress},\r\n${rows()}`,
          }),
      ],
      [
        'a form with a .csv file',
        () =>
          ada().send({
            path: '/collections/verify',
            headers: [multipartType],
            body: multipart([file('o.csv', `collection_name,user_address\nVerified,\n${rows()}`)]),
          }),
      ],
      [
        'a form with a .json file',
        () =>
          ada().send({
            path: '/collections/verify',
            headers: [multipartType],
            body: multipart([file('o.json', JSON.stringify({ collection_name: 'Verified', objects: objects() }))]),
          }),
      ],
    ])('as %s tells what matches and what does not, at once after the 201 (I9)', async (_how, ask) => {
      expect(await ask()).toMatchObject({ status: 200, body: expected() });
    });

    it('leaves the unmatched receipts out when they are not wanted', async () => {
      const query = { collection_name: 'verified', objects: objects() };
      const { status, body } = await ada().postJson('/collections/verify?unmatched_receipts=false', query);
      expect([status, body.collections]).toMatchObject([
        200,
        [{ unmatched_objects: [unknown], unmatched_receipts: [] }],
      ]);
    });

    it('without a name infers the collection that holds all of fewer than five objects', async () => {
      const own = receipts.map((receipt) => ({ cid: receipt.object_cid, timestamp: receipt.timestamp }));
      const { status, body } = await ada().postJson('/collections/verify', { objects: own });
      expect(status).toBe(200);
      expect(body.collections).toMatchObject([{ name: 'Verified', unmatched_objects: [], unmatched_receipts: [] }]);
    });

    it('that is not there is a 200 with everything unmatched', async () => {
      const { status, body } = await ada().postJson('/collections/verify', {
        collection_name: ' Nowhere ',
        objects: [unknown],
      });
      expect(status).toBe(200);
      expect(body.collections).toEqual([
        {
          name: 'Nowhere',
          cid: null,
          user_address: null,
          matched_receipts: [],
          unmatched_objects: [unknown],
          unmatched_receipts: [],
        },
      ]);
    });
  });

  describe('the other ways to ask', () => {
    it('POST /stamp/ is POST /stamps, marked as deprecated', async () => {
      const body = `data_cid=${cidOf('deprecated')}`;
      const headers = ['Content-Type: application/x-www-form-urlencoded'];
      const old = await ada().send({ path: '/stamp/', headers, body });
      expect(old.status).toBe(201);
      expect(old.headers.deprecation).toMatch(/\S/);
      expect(old.headers.link).toContain('rel="successor-version"');
      expect(await ada().send({ path: '/stamps', headers, body })).toMatchObject({ status: 200, body: old.body });
    });

    it('an Idempotency-Key replays status and body; another request under it is a 400', async () => {
      const key = ['Idempotency-Key: one of a kind'];
      const fields = { data_cid: cidOf('under a key'), idempotent: 'false' };
      const first = await ada().stamp(fields, key);
      expect(first.status).toBe(201);
      expect(await ada().stamp(fields, key)).toMatchObject({ status: 201, body: first.body });
      expectRefusal(await ada().stamp({ ...fields, data_cid: cidOf('another') }, key), 400, 'Idempotency-Key');
    });

    it("another account's settings are answered with a masked e-mail", async () => {
      const me = await eve().get('/users/me');
      const seen = await ada().get(`/users/${me.body.last_address}`);
      expect(seen).toMatchObject({ status: 200, body: { ...me.body, email: 'e***@example.com' } });
      expect((await eve().get(`/users/${String(me.body.last_address).toLowerCase()}`)).body).toEqual(me.body);
    });

    it('the description needs no key', async () => {
      const answer = await ada().sendBare({ method: 'GET', path: '/swagger.json' });
      expect(answer).toMatchObject({ status: 200, body: { openapi: expect.stringMatching(/^3\./) } });
    });
  });
}
