import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkNames, type DoctorSettings, type Finding, verdictOf } from '@indelible/cli/doctor';
import { encodeCommitBatch } from '@indelible/commitment-contract';
import { eventually } from '@indelible/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import { withDamage } from './support/damage.ts';
import { damages } from './support/damages.ts';
import { type DoctoredStack, startDoctoredStack } from './support/doctored-stack.ts';
import { createRequests } from './support/requests.ts';

jest.setTimeout(240_000);

let running: DoctoredStack;
beforeAll(async () => {
  running = await startDoctoredStack();
});
afterAll(async () => {
  await running?.stop();
});

const unclean = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ outcome }) => outcome !== 'clean');
const looked = (findings: readonly Finding[], of: string): number | undefined =>
  findings.flatMap((finding) => finding.looked).find((one) => one.of === of)?.count;
const nowhere = 'http://127.0.0.1:9';

/** Of the reorg at the end. */
const depth = 20;

describe('a service that is at work', () => {
  it('is never said to differ while clients stamp and store, nor after a reorg', async () => {
    const requests = createRequests(running);
    expect((await requests.createCollection({ name: 'First' })).status).toBe(201);
    const working = new AbortController();
    const statuses: number[] = [];
    const work = async (worker: number): Promise<void> => {
      for (let i = 0; !working.signal.aborted; i++) {
        const collection = i % 3 === 0 ? {} : { collection_name: i % 3 === 1 ? 'First' : `Of worker ${worker}` };
        const file = new Blob([`content ${worker} ${i % 10}`]);
        const answer = await requests.stamp({ file, ...collection, store_stamped_file: 'true', idempotent: 'false' });
        statuses.push(answer.status);
      }
    };
    const workers = [0, 1, 2].map(work);
    const found: Finding[] = [];
    const made = (): number => statuses.filter((status) => status === 201).length;
    for (let looks = 0; looks < 6 || made() < 10; looks++)
      found.push(...(await running.look(checkNames, { graceSeconds: 10, recheckAfterMs: 5_000 })));
    // The first look finds receipts of lost blocks, the second their new state.
    await running.anvil.reorg(3);
    found.push(...(await running.look(checkNames, { graceSeconds: 10, recheckAfterMs: 8_000 })));
    working.abort();
    await Promise.all(workers);
    expect(unclean(found)).toEqual([]);
    // A 503 is for a client that has waited long enough; its stamp continues.
    expect(statuses.filter((status) => status !== 201 && status !== 503)).toEqual([]);

    const content = 'uploaded later';
    const fields = {
      data_cid: `0x${sha3.sha3_256(content)}`,
      collection_name: 'First',
      store_stamped_file: 'false',
    };
    expect((await requests.stamp(fields)).status).toBe(201);
    expect((await requests.stamp(fields)).status).toBe(200);
    const uploaded = await requests.upload({ file: new Blob([content]), collection_name: 'First' }, 'later.txt');
    expect(uploaded.status).toBe(201);
  });

  it('is clean to the last row once it is quiet, and everything was looked at', async () => {
    // A chain shorter than the requested reorg refuses it, and from here on there are few new blocks.
    await eventually(
      async () => expect(Number(await running.anvil.request('eth_blockNumber'))).toBeGreaterThan(depth),
      { timeoutMs: 60_000 },
    );
    await running.anvil.request('evm_setIntervalMining', [0]);
    const findings = await eventually(
      async () => {
        const all = await running.look(checkNames, { sha3: true });
        expect(unclean(all)).toEqual([]);
        return all;
      },
      { timeoutMs: 60_000, intervalMs: 500 },
    );
    await running.stack.stop();
    expect(findings.map(({ check }) => check)).toEqual(checkNames);
    const stamps = looked(findings, 'stamps') ?? 0;
    expect(stamps).toBeGreaterThan(3);
    expect(looked(findings, 'commitments')).toBe(stamps);
    expect(looked(findings, 'stored files')).toBe(stamps);
    for (const kind of ['headers', 'cursors', 'batches', 'lanes', 'nonces', 'collections', 'events of stamping'])
      expect([kind, looked(findings, kind)]).not.toEqual([kind, 0]);
  });

  it('is clean for the command as well, which ends with 0', async () => {
    const { code, out } = await running.command(['--grace', '0', '--recheck-after', '0', '--page-size', '3']);
    expect(out.trimEnd().split('\n')).toEqual([
      ...checkNames.map((check) => expect.stringMatching(new RegExp(`^✓ ${check}: looked at \\d+ `))),
      'nothing differs',
    ]);
    expect(code).toBe(0);
  });
});

describe('a damage is found and reported with what to do, and the verdict is 1:', () => {
  it.each(damages)('$name', async ({ tables, sql, check, what, remedy }) => {
    const findings = await withDamage(running.database, { tables, sql }, () => running.look([check]));
    expect(findings).toMatchObject([{ check, outcome: 'differs' }]);
    expect(findings[0]?.shown).toContainEqual({
      subject: expect.any(String),
      what: expect.stringMatching(what),
      remedy: expect.stringMatching(remedy),
    });
    expect(verdictOf(findings)).toBe(1);
  });
});

describe('a stored file', () => {
  let objects: string;
  let path: string;
  let content: Buffer;
  beforeAll(async () => {
    objects = join(running.connection.blobDirectory, 'objects');
    const files = (await readdir(objects, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const file = files.find(({ name }) => !name.startsWith('later'));
    path = join(file?.parentPath ?? '', file?.name ?? '');
    content = await readFile(path);
  });
  afterEach(async () => {
    await rm(path, { force: true });
    await writeFile(path, content);
  });
  const fault = async (changes: Partial<DoctorSettings> = {}): Promise<string | undefined> => {
    const [finding] = await running.look(['files'], changes);
    expect(finding?.shown[0]?.remedy).toMatch(/put the file back at its path/);
    return finding?.shown[0]?.what;
  };

  it('that is gone is found', async () => {
    await rename(path, `${path}.away`);
    expect(await fault()).toBe('is not in the blob store');
    await rm(`${path}.away`);
  });

  it('that was cut is found by its size', async () => {
    await truncate(path, content.length - 1);
    expect(await fault()).toBe(`has ${content.length - 1} bytes in the blob store instead of ${content.length}`);
  });

  it('with one bit turned is found by its CRC32C', async () => {
    await writeFile(path, Buffer.from(content.map((byte, i) => (i === 0 ? byte ^ 1 : byte))));
    expect(await fault()).toMatch(/^has CRC32C [0-9a-f]{8} in the blob store instead of [0-9a-f]{8}$/);
  });

  it('replaced together with its record is found by its SHA3-256 alone', async () => {
    const own = relative(objects, path);
    const { rows } = await running.database.pool.query<{ file_path: string; crc32c: string }>(
      `select f.file_path, f.crc32c from storage.files f
       where f.size = $1 and f.crc32c <> (select max(o.crc32c) from storage.files o where o.file_path = $2) limit 1`,
      [content.length, own],
    );
    await writeFile(path, await readFile(join(objects, rows[0]?.file_path ?? '')));
    const sql = `update storage.files set crc32c = ${rows[0]?.crc32c} where file_path = '${own.replaceAll("'", "''")}'`;
    await withDamage(running.database, { tables: ['storage.files'], sql }, async () => {
      expect(unclean(await running.look(['files']))).toEqual([]);
      expect(await fault({ sha3: true })).toMatch(
        /^has SHA3-256 0x[0-9a-f]{64} in the blob store, and was stamped as 0x/,
      );
    });
  });
});

describe('what cannot be looked at', () => {
  const away = async (changes: Partial<DoctorSettings>, ...checks: (typeof checkNames)[number][]) => {
    const findings = await running.look(checks, changes);
    expect([verdictOf(findings), findings.map(({ outcome }) => outcome)]).toEqual([2, ['not looked']]);
    return findings[0]?.away;
  };
  const chainAt = (changes: Partial<NonNullable<DoctorSettings['chain']>>) => ({
    chain: {
      rpcUrls: [running.connection.rpcUrl],
      contract: running.connection.contractAddress.toLowerCase() as `0x${string}`,
      ...changes,
    },
  });

  it('is named and hinders no other check: the chain', async () => {
    const findings = await running.look(checkNames, chainAt({ rpcUrls: [nowhere] }));
    expect(unclean(findings)).toMatchObject(
      ['chain', 'commitments', 'stamps', 'lanes'].map((check) => ({
        check,
        outcome: 'not looked',
        away: expect.stringMatching(/^the chain \(RPC_URL\): /),
      })),
    );
    expect(verdictOf(findings)).toBe(2);
  });

  it('is named: another chain, a contract or a folder that is not there, Postgres', async () => {
    expect(await away({ chainId: 5 }, 'commitments')).toMatch(/it is chain 31337, CHAIN_ID is 5/);
    const empty = `0x${'1'.repeat(40)}` as const;
    expect(await away(chainAt({ contract: empty }), 'commitments')).toMatch(/there is no contract at 0x1111/);
    const blobStore = { kind: 'local', directory: '/nowhere/at/all' } as const;
    expect(await away({ blobStore }, 'files')).toMatch(/BLOB_STORE_DIRECTORY/);
    expect(await away({ databaseUrl: 'postgresql://nobody@127.0.0.1:9/none' }, 'views')).toMatch(
      /^Postgres \(DATABASE_URL\): /,
    );
  });

  it('ends the command with 2, and so does a missing or unknown setting', async () => {
    const chain = await running.command(['--recheck-after', '0', '--only', 'lanes'], { RPC_URL: nowhere });
    expect(chain).toMatchObject({
      code: 2,
      out: expect.stringMatching(/\? lanes[\s\S]*RPC_URL[\s\S]*could not look at all of lanes/),
    });
    const settings = await running.command([], { DATABASE_URL: '' });
    expect(settings).toMatchObject({ code: 2, out: expect.stringMatching(/npm start.*DATABASE_URL/) });
    expect(await running.command(['--only', 'nothing'])).toMatchObject({ code: 2 });
  });
});

describe('what a person reads', () => {
  const damage = { tables: ['storage.stamps'], sql: 'update storage.stamps set on_chain = false' };
  const words = ['--grace', '0', '--recheck-after', '0'];

  it('is a line for each check and one for each difference, of which some are shown and all are counted', async () => {
    const { rows } = await running.database.pool.query<{ count: number }>(
      "select count(*)::int as count from stamping.stamps where status = 'confirmed' and content is not null",
    );
    const { code, out } = await withDamage(running.database, damage, () =>
      running.command([...words, '--only', 'views', 'files', '--show', '2']),
    );
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(1);
    expect(lines[0]).toMatch(
      new RegExp(`^✗ views: ${rows[0]?.count} differ; looked at \\d+ stamps in the records of storage, `),
    );
    for (const line of lines.slice(1, 3))
      expect(line).toMatch(
        /^ {4}stamp [0-9a-f-]{36}: is confirmed, storage has it as not on the chain → .*events\.stamps/,
      );
    expect(lines[3]).toMatch(/^ {4}and \d+ more$/);
    expect(lines[4]).toMatch(/^✓ files: looked at \d+ stored files/);
    expect(lines[5]).toMatch(/^\d+ differ$/);
  });

  it('is the same as JSON, and what differs counts more than what is away', async () => {
    const { code, out } = await withDamage(running.database, damage, () =>
      running.command([...words, '--json', '--only', 'views', 'chain'], { RPC_URL: nowhere }),
    );
    const told = JSON.parse(out) as { verdict: number; findings: readonly Finding[] };
    expect([code, told.verdict]).toEqual([1, 1]);
    expect(told.findings.map(({ check, outcome }) => [check, outcome])).toEqual([
      ['chain', 'not looked'],
      ['views', 'differs'],
    ]);
  });
});

describe('a chain that turned against us', () => {
  it('has a commitment that a lane made and nobody stored (I3)', async () => {
    const { rows } = await running.database.pool.query<{ lane: `0x${string}`; account: `0x${string}` }>(
      `select '0x' || encode(l.lane, 'hex') as lane, '0x' || encode(s.account, 'hex') as account
       from stamping.lanes l, stamping.stamps s limit 1`,
    );
    const { lane, account } = rows[0]!;
    const runs = [{ user: account, count: 1, newSet: false, setCid: `0x${'0'.repeat(64)}` as const }];
    const data = `0x${Buffer.from(encodeCommitBatch(runs, [`0x${'ab'.repeat(32)}`])).toString('hex')}`;
    const { anvil, connection } = running;
    await anvil.request('anvil_impersonateAccount', [lane]);
    await anvil.request('eth_sendTransaction', [{ from: lane, to: connection.contractAddress, data, gas: '0x100000' }]);
    await anvil.mine();
    expect(await running.look(['lanes'])).toMatchObject([
      {
        differences: 1,
        shown: [
          {
            subject: `lane ${lane}`,
            what: expect.stringMatching(/has sent \d+ transactions, only those below nonce \d+ are stored/),
            remedy: expect.stringMatching(/its key is used elsewhere/),
          },
        ],
      },
    ]);
  });

  it('has other blocks than those that receipts name (I1, I4)', async () => {
    await running.anvil.reorg(depth);
    const [chain, commitments, stamps] = await running.look(['chain', 'commitments', 'stamps']);
    const told = (finding: Finding | undefined): readonly string[] => finding?.shown.map(({ what }) => what) ?? [];
    expect(told(chain)).toContainEqual(
      expect.stringMatching(/is 0x[0-9a-f]{64} on the chain, and 0x[0-9a-f]{64} here/),
    );
    expect(told(commitments)).toContainEqual('is in verification.commitments, and not on the chain');
    expect(told(stamps)).toContainEqual(expect.stringMatching(/none of its transactions is on the chain/));
  });
});
