import { eventually } from '@indelible/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import sha3 from 'js-sha3';
import { type Api, createApi } from '../support/api.ts';
import type { ContractStack } from '../support/contract-stack.ts';
import { expectRefusal } from '../support/refusal.ts';

const cid = `0x${sha3.sha3_256('access')}`;

/** Keys and their scopes. `expiring` has worked and ends while the tests run. */
export function access(stack: () => ContractStack, ada: () => Api, expiring: () => Api): void {
  const createKey = (...words: string[]): Promise<{ id: string; apiKey: string }> =>
    stack().indelible('keys', 'create', '--account', stack().connection.userAddress, '--name', 'contract', ...words);

  describe('a key', () => {
    it.each<[string, () => readonly string[]]>([
      ['that is missing', () => []],
      ['of another scheme', () => ['Authorization: Basic YTpi']],
      ['without its scheme', () => [`Authorization: ${ada().apiKey}`]],
      ['that is empty', () => ['Authorization: Bearer ']],
      ['that is malformed', () => ['Authorization: Bearer nonsense']],
      ['that is cut', () => [`Authorization: Bearer ${ada().apiKey.slice(0, -1)}`]],
      ['with more behind it', () => [`Authorization: Bearer ${ada().apiKey} x`]],
      ['with a wrong checksum', () => [`Authorization: Bearer ${mistyped(ada().apiKey)}`]],
      ['that nobody was given', () => ['Authorization: Bearer ind_000000000000000000000000000000000000']],
      ['of 9 kB', () => [`Authorization: Bearer ${'k'.repeat(9_000)}`]],
      ['in another header', () => [`X-API-Key: ${ada().apiKey}`]],
      ['in a cookie', () => [`Cookie: token=${ada().apiKey}`]],
    ])('%s is a 401 that asks for Bearer', async (_what, headers) => {
      const answer = await ada().sendBare({ method: 'GET', path: '/api/v1/users/me', headers: headers() });
      expectRefusal(answer, 401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(answer.text).not.toContain(ada().apiKey);
    });

    it('in the query is a 401, and is not repeated', async () => {
      const path = `/api/v1/users/me?access_token=${ada().apiKey}`;
      const answer = await ada().sendBare({ method: 'GET', path });
      expectRefusal(answer, 401);
      expect(answer.text).not.toContain(ada().apiKey);
    });

    it('given twice is a 400 that names Authorization', async () => {
      expectRefusal(await ada().get('/users/me', [ada().authorization]), 400, 'Authorization');
      expectRefusal(await ada().get('/users/me', ['authorization: Bearer other']), 400, 'Authorization');
    });

    it('is judged before the body is: a bad form without a key is a 401', async () => {
      const headers = ['Content-Type: text/nonsense'];
      expectRefusal(await ada().sendBare({ path: '/api/v1/stamps', headers, body: 'x' }), 401);
    });

    it('that is revoked is a 401 within seconds', async () => {
      const { id, apiKey } = await createKey();
      const api = createApi(stack(), apiKey);
      expect((await api.get('/users/me')).status).toBe(200);
      await stack().indelible('keys', 'revoke', id);
      await eventually(async () => expectRefusal(await api.get('/users/me'), 401, 'revoked'), { timeoutMs: 15_000 });
    });

    it('of a disabled account is a 401 within seconds, and works again when the account is enabled', async () => {
      const { address, apiKey } = await stack().indelible<{ address: string; apiKey: string }>(
        ...['accounts', 'create', '--name', 'Dan', '--email', 'dan@example.com', '--wait', '0'],
      );
      const api = createApi(stack(), apiKey);
      expect((await api.get('/users/me')).status).toBe(200);
      await stack().indelible('accounts', 'disable', address);
      await eventually(async () => expectRefusal(await api.get('/users/me'), 401, 'disabled'), { timeoutMs: 15_000 });
      expect((await ada().get('/users/me')).status).toBe(200);
      await stack().indelible('accounts', 'enable', address);
      await eventually(async () => expect((await api.get('/users/me')).status).toBe(200), { timeoutMs: 15_000 });
    });

    it('that expires is a 401 from then on', async () => {
      await eventually(async () => expectRefusal(await expiring().get('/users/me'), 401, 'expired'), {
        timeoutMs: 80_000,
      });
    }, 90_000);
  });

  describe('scopes', () => {
    let reader: Api;
    let stamper: Api;
    beforeAll(async () => {
      const [read, stamp] = await Promise.all([createKey('--scopes', 'read'), createKey('--scopes', 'stamp')]);
      reader = createApi(stack(), read.apiKey);
      stamper = createApi(stack(), stamp.apiKey);
    });

    it('read is for every GET and for verify; anything else is a 403', async () => {
      for (const path of ['/users/me', '/collections']) expect((await reader.get(path)).status).toBe(200);
      expect((await reader.postJson('/stamps/verify', { cids: [cid] })).status).toBe(200);
      expectRefusal(await reader.stamp({ data_cid: cid }), 403, 'stamp');
      expectRefusal(await reader.postJson('/collections', { name: 'Not mine to make' }), 403, 'stamp');
    });

    it('stamp does not imply read', async () => {
      for (const path of ['/users/me', '/collections', '/stamps/0b0e7d3e-6b0a-4b7e-9c55-3b1d3a7b2f11'])
        expectRefusal(await stamper.get(path), 403, 'read');
      expectRefusal(await stamper.postJson('/stamps/verify', { cids: [cid] }), 403, 'read');
      expect((await stamper.stamp({ data_cid: cid })).status).toBe(201);
    });
  });
}

/** The key with one character of its random part changed. */
const mistyped = (key: string): string => `${key.slice(0, 10)}${key[10] === 'a' ? 'b' : 'a'}${key.slice(11)}`;
