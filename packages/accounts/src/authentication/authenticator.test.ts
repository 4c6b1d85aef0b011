import { createLogger } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import { createApiKey, hashApiKey } from '../keys/api-key.ts';
import { createAuthenticator } from './authenticator.ts';

type Row = {
  hash: Buffer;
  id: string;
  account: Buffer;
  scopes: string[];
  expiresAt: Date | null;
  revoked: boolean;
  disabled: boolean;
  perSecond: number | null;
  burst: number | null;
};

const logger = createLogger({ service: 'test', level: 'silent' });
const rowOf = (apiKey: string): Row => ({
  hash: hashApiKey(apiKey),
  id: '00000000-0000-4000-8000-000000000001',
  account: Buffer.alloc(20, 7),
  scopes: ['read'],
  expiresAt: null,
  revoked: false,
  disabled: false,
  perSecond: null,
  burst: null,
});

type Statement = { readonly hashes: number; readonly answer: PromiseWithResolvers<{ rows: Row[] }> };

/** A database whose statements the test answers one by one, as they come. */
function scriptedDatabase() {
  const statements: PromiseWithResolvers<Statement>[] = [];
  const place = (i: number): PromiseWithResolvers<Statement> => (statements[i] ??= Promise.withResolvers<Statement>());
  let readings = 0;
  const query = ({ values }: { values: [Buffer[]] }) => {
    const answer = Promise.withResolvers<{ rows: Row[] }>();
    place(readings++).resolve({ hashes: values[0].length, answer });
    return answer.promise;
  };
  return {
    authenticator: createAuthenticator({ database: { query: query as never }, logger }),
    statement: (i: number) => place(i).promise,
    readings: () => readings,
  };
}

describe('the authenticator', () => {
  it('reads a key once for all requests at the same moment, and not at all while the reading is fresh', async () => {
    const { authenticator, statement, readings } = scriptedDatabase();
    const key = createApiKey();
    const answers = Array.from({ length: 50 }, () => authenticator.authenticate(key, 1_000));
    (await statement(0)).answer.resolve({ rows: [rowOf(key)] });
    const expected = { account: `0x${'07'.repeat(20)}`, keyId: rowOf(key).id, scopes: ['read'] };
    expect(await Promise.all(answers)).toEqual(answers.map(() => expected));
    expect(await authenticator.authenticate(key, 2_999)).toEqual(expected);
    expect(readings()).toBe(1);
    const again = authenticator.authenticate(key, 3_000);
    (await statement(1)).answer.resolve({ rows: [{ ...rowOf(key), revoked: true }] });
    expect(await again).toEqual({ fault: 'revoked' });
  });

  it('knows without a query what it has just read of a key, faults included, and nothing of other keys', async () => {
    const { authenticator, statement, readings } = scriptedDatabase();
    const [key, revoked] = [createApiKey(), createApiKey()];
    expect(authenticator.known(key, 1_000)).toBeUndefined();
    const reading = Promise.all([authenticator.authenticate(key, 1_000), authenticator.authenticate(revoked, 1_000)]);
    (await statement(0)).answer.resolve({ rows: [rowOf(key)] });
    (await statement(1)).answer.resolve({ rows: [{ ...rowOf(revoked), revoked: true }] });
    const [answer] = await reading;
    expect(authenticator.known(key, 2_999)).toEqual(answer);
    expect(authenticator.known(revoked, 2_999)).toEqual({ fault: 'revoked' });
    expect(authenticator.known('ind_mistyped', 2_999)).toEqual({ fault: 'malformed' });
    expect(authenticator.known(key, 3_000)).toBeUndefined();
    expect(authenticator.known(key, 999)).toBeUndefined();
    expect(readings()).toBe(2);
  });

  it('never asks Postgres about a malformed key', async () => {
    const { authenticator, readings } = scriptedDatabase();
    expect(await authenticator.authenticate('ind_mistyped', 0)).toEqual({ fault: 'malformed' });
    expect(readings()).toBe(0);
  });

  it('asks with one statement at a time, whatever number of keys come meanwhile', async () => {
    const { authenticator, statement } = scriptedDatabase();
    const answers = Array.from({ length: 100 }, () => authenticator.authenticate(createApiKey(), 0));
    const first = await statement(0);
    first.answer.resolve({ rows: [] });
    const second = await statement(1);
    second.answer.resolve({ rows: [] });
    expect(await Promise.all(answers)).toEqual(answers.map(() => ({ fault: 'unknown' })));
    expect([first.hashes, second.hashes]).toEqual([1, 99]);
  });

  it('takes no more waiting keys than it can bound, and says to come again', async () => {
    const { authenticator, statement } = scriptedDatabase();
    const answers = Array.from({ length: 1_002 }, () => authenticator.authenticate(createApiKey(), 0));
    await expect(answers.at(-1)).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
    (await statement(0)).answer.resolve({ rows: [] });
    (await statement(1)).answer.resolve({ rows: [] });
    expect((await Promise.all(answers.slice(0, -1))).length).toBe(1_001);
  });

  it('is unavailable, not unauthorised, when Postgres is unavailable, and reads again next time', async () => {
    const { authenticator, statement } = scriptedDatabase();
    const key = createApiKey();
    const failing = authenticator.authenticate(key, 0);
    (await statement(0)).answer.reject(new Error('connection refused'));
    await expect(failing).rejects.toMatchObject({ name: 'UnavailableError', retryable: true });
    const working = authenticator.authenticate(key, 1);
    (await statement(1)).answer.resolve({ rows: [rowOf(key)] });
    expect(await working).toMatchObject({ scopes: ['read'] });
  });
});
