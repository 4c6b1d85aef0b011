import { eventually } from '@indelible/testing';
import { describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import type { Answer, Api } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';
import { field, file } from '../support/multipart.ts';
import { expectRefusal } from '../support/refusal.ts';

const cidOf = (content: string): string => `0x${sha3.sha3_256(content)}`;
const transactionOf = ({ body }: Answer): string | undefined => body.commitment_receipt?.transaction_hash;

/** When a request makes a stamp, and when it returns an earlier one. */
export function idempotency(stack: () => ContractStack, ada: () => Api, eve: () => Api): void {
  const stampsOf = async (cid: string): Promise<unknown[]> => [
    ...((await ada().postJson('/stamps/verify', { cids: [cid] })).body.stamp_list ?? []),
  ];

  describe('idempotency', () => {
    it('a repeat is a 200 with the earlier receipt alone, also when it brings content that is then stored', async () => {
      const data_cid = cidOf('repeated');
      const first = await ada().stamp({ data_cid });
      expect(first.status).toBe(201);
      const repeat = await ada().stamp({ data_cid, idempotent: 'True', idempotency_window: '31536000' });
      const withContent = await ada().stamp({ data: 'repeated' });
      for (const again of [repeat, withContent]) expect(again).toMatchObject({ status: 200, body: first.body });
      expect(Object.keys(withContent.body)).toEqual(['commitment_receipt']);
      expect(await stampsOf(data_cid)).toHaveLength(1);
    });

    it('idempotent=false twice makes two commitments, and verify tells both, the older first', async () => {
      const data_cid = cidOf('twice');
      const first = await ada().stamp({ data_cid, idempotent: 'false' });
      const second = await ada().stamp({ data_cid, idempotent: '0' });
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(await stampsOf(data_cid)).toEqual([first.body.commitment_receipt, second.body.commitment_receipt]);
    });

    it('a zero window holds no confirmed stamp, but requests in flight are joined', async () => {
      const fields = { data_cid: cidOf('zero window'), idempotency_window: '0' };
      const both = await Promise.all([ada().stamp(fields), ada().stamp(fields)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 201]);
      expect(new Set(both.map(transactionOf)).size).toBe(1);
      const later = await ada().stamp(fields);
      expect(later.status).toBe(201);
      expect(await stampsOf(fields.data_cid)).toHaveLength(2);
    });

    it('a stamp is repeated while it is inside the window, and made anew when the window has passed', async () => {
      const fields = { data_cid: cidOf('window'), idempotency_window: '3' };
      const first = await ada().stamp(fields);
      expect(first.status).toBe(201);
      expect(await ada().stamp({ ...fields, idempotency_window: '3600' })).toMatchObject({
        status: 200,
        body: first.body,
      });
      const anew = await eventually(async () => {
        const answer = await ada().stamp(fields);
        expect(answer.status).toBe(201);
        return answer;
      });
      const age = (answer: Answer): number => Date.parse(answer.body.commitment_receipt?.timestamp ?? '');
      expect(age(anew) - age(first)).toBeGreaterThanOrEqual(3_000);
      expect(await ada().stamp({ ...fields, idempotency_window: '3600' })).toMatchObject({
        status: 200,
        body: anew.body,
      });
    });

    it('the identity is account, set and object: another set or another account makes a stamp of its own', async () => {
      const data_cid = cidOf('identity');
      const answers = await Promise.all([
        ada().stamp({ data_cid }),
        ada().stamp({ data_cid, collection_name: 'Identity' }),
        eve().stamp({ data_cid }),
        eve().stamp({ data_cid, collection_name: 'Identity' }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
      const all = await stampsOf(data_cid);
      expect(all).toHaveLength(4);
      const own = await eve().postJson('/stamps/verify', { cids: [data_cid], filter_by_user: true });
      expect(own.body.stamp_list).toHaveLength(2);
      for (const answer of answers.slice(2)) expect(own.body.stamp_list).toContainEqual(answer.body.commitment_receipt);
    });

    it('a 201 and its repeats name the status resource of the one stamp, which answers (I9)', async () => {
      const fields = { data_cid: cidOf('located') };
      const first = await ada().stamp(fields);
      const again = await ada().stamp(fields);
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(first.headers.location).toMatch(/\/api\/v1\/stamps\/[0-9a-f-]{36}$/);
      expect(again.headers.location).toBe(first.headers.location);
      const path = String(first.headers.location).replace(/^.*\/api\/v1/, '');
      expect(await ada().get(path)).toMatchObject({
        status: 200,
        body: { object_cid: cidOf('located'), commitment_receipt: first.body.commitment_receipt },
      });
    });

    it('ten identical requests with a file at once make one stamp, one 201 and nine times 200 (I2)', async () => {
      const parts = [file('ten.txt', 'ten at once'), field('collection_name', 'Ten')];
      const answers = await Promise.all(Array.from({ length: 10 }, () => ada().stampParts(parts)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
      expect(new Set(answers.map(transactionOf)).size).toBe(1);
      expect(await stampsOf(cidOf('ten at once'))).toHaveLength(1);
    });
  });

  describe('Prefer: respond-async', () => {
    it('is a 202 with id, status and Location, whose resource goes on to confirmed, with receipt and file', async () => {
      const parts = [file('async.txt', 'asynchronous'), field('collection_name', 'Async')];
      const accepted = await ada().stampParts(parts, ['Prefer: respond-async']);
      expect(accepted).toMatchObject({
        status: 202,
        body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: expect.stringMatching(/^(accepted|submitted)$/) },
      });
      expect(Object.keys(accepted.body).sort()).toEqual(['id', 'status']);
      expect(accepted.headers.location).toMatch(new RegExp(`/api/v1/stamps/${accepted.body.id}$`));
      expect((await ada().postJson('/stamps/status', { ids: [accepted.body.id] })).body).toMatchObject({
        stamps: [{ requested_id: accepted.body.id, stamp: { object_cid: cidOf('asynchronous') } }],
      });
      const path = `/stamps/${accepted.body.id}`;
      const at = await ada().get(path);
      expect(at).toMatchObject({ status: 200, body: { id: accepted.body.id, object_cid: cidOf('asynchronous') } });
      await eventually(async () => {
        const { body } = await ada().get(path);
        expect(body).toMatchObject({
          id: accepted.body.id,
          status: expect.stringMatching(/^(confirmed|finalized)$/),
          requested_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          object_cid: cidOf('asynchronous'),
          set_cid: cidOf('Async'),
          commitment_receipt: { object_cid: cidOf('asynchronous'), set_cid: cidOf('Async') },
          file_object: { file_path: expect.stringContaining('/collections/Async/stamped/async_') },
        });
      });
      const repeat = await ada().stampParts(parts, ['Prefer: respond-async']);
      expect(repeat.status).toBe(200);
      expectRefusal(await eve().get(path), 404, 'stamp');
      expect((await ada().get(path.toUpperCase().replace('/STAMPS', '/stamps'))).status).toBe(200);
    });

    it('a repeat that finds the stamp in flight is a 202 with its id', async () => {
      await stack().anvil.request('evm_setIntervalMining', [0]);
      try {
        const fields = { data_cid: cidOf('in flight') };
        const first = await ada().stamp(fields, ['Prefer: respond-async']);
        const second = await ada().stamp(fields, ['Prefer: wait=5, Respond-Async']);
        expect([first.status, second.status]).toEqual([202, 202]);
        expect(second.body.id).toBe(first.body.id);
      } finally {
        await stack().anvil.request('evm_setIntervalMining', [1]);
      }
    });

    it('an id that never was is a 404', async () => {
      expectRefusal(await ada().get('/stamps/0b0e7d3e-6b0a-4b7e-9c55-3b1d3a7b2f11'), 404, 'stamp');
    });
  });
}
