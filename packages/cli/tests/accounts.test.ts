import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { localStart, runCommand, startCommand, stubChain } from './command-line.ts';

type Local = Awaited<ReturnType<typeof localStart>>;
type Chain = Awaited<ReturnType<typeof stubChain>>;

const create = ['accounts', 'create', '--name', 'Ada', '--email', 'ada@example.com'];

// Every command is a process of its own; a busy machine takes seconds to start some.
jest.setTimeout(60_000);

describe('indelible accounts create', () => {
  let local: Local;
  let chain: Chain | undefined;
  beforeEach(async () => {
    local = await localStart();
  });
  afterEach(async () => {
    await chain?.stop();
    chain = undefined;
    await local.dispose();
  });

  const connect = async (grants: readonly boolean[], changes?: Readonly<Record<string, unknown>>): Promise<Chain> => {
    chain = await stubChain(grants);
    await local.connect(chain.url, changes);
    return chain;
  };
  const accounts = async (): Promise<unknown[]> =>
    (await local.database.pool.query('select grant_seen from accounts.accounts')).rows;

  it('prints the account as JSON and nothing else, once its grant is on the chain', async () => {
    const { asked } = await connect([false, true]);
    const { code, out, err } = await runCommand([...create, '--json'], local);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      persistentId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      apiKey: expect.stringMatching(/^ind_[0-9A-Za-z]{36}$/),
    });
    expect(out.trimEnd()).not.toContain('\n');
    expect(asked()).toBe(2);
    expect(await accounts()).toEqual([{ grant_seen: true }]);
  });

  it('warns of an e-mail address that another account has, and opens the account all the same', async () => {
    await connect([true]);
    await runCommand(create, local);
    const again = [...create.slice(0, -1), 'ADA@example.com'];
    const { code, err } = await runCommand([...again, '--json'], local);
    expect([code, err]).toEqual([
      0,
      'another account has the e-mail address ADA@example.com already: this is one more\n',
    ]);
    expect(await accounts()).toHaveLength(2);
  });

  it('finds the local start from a folder inside', async () => {
    await connect([true]);
    const inside = join(local.folder, 'a', 'b');
    await mkdir(inside, { recursive: true });
    const { code, err } = await runCommand([...create, '--json'], { folder: inside });
    expect([code, err]).toEqual([0, '']);
  });

  it('prints its version', async () => {
    expect(await runCommand(['--version'], local)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  it('says that the key is shown once', async () => {
    await connect([true]);
    const { code, out } = await runCommand(create, local);
    expect(code).toBe(0);
    expect(out).toMatch(/^Address {2}0x\S{40}\nId {7}\S{36}\nAPI key {2}ind_\S{36} {2}\(shown once: keep it safe\)\n$/);
  });

  it('succeeds with a note when the grant is still on its way after the wait', async () => {
    await connect([false]);
    const { code, out, err } = await runCommand([...create, '--json', '--wait', '1'], local);
    expect([code, err]).toEqual([
      0,
      'the grant is still on its way after 1 s: the account is open, its first stamps wait for it\n',
    ]);
    expect(JSON.parse(out)).toMatchObject({ apiKey: expect.any(String) });
    expect(await accounts()).toEqual([{ grant_seen: false }]);
  });

  it('has printed the key before it waits: an interrupted wait loses nothing', async () => {
    await connect([false]);
    const child = startCommand([...create, '--json', '--wait', '3600'], local);
    const closed = once(child, 'close');
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    child.kill('SIGKILL');
    await closed;
    expect(JSON.parse(chunk.toString())).toMatchObject({ apiKey: expect.any(String) });
  });

  it('opens nothing when the endpoint is of another chain', async () => {
    await connect([true], { chainId: 1 });
    const { code, out, err } = await runCommand([...create, '--json'], local);
    expect([code, out, err]).toEqual([1, '', 'indelible: the RPC endpoint is of chain 31337, but CHAIN_ID is 1\n']);
    expect(await accounts()).toEqual([]);
  });

  it('opens nothing when the endpoint is unreachable', async () => {
    await local.connect('http://127.0.0.1:1');
    const { code, err } = await runCommand(create, local);
    expect([code, err]).toEqual([1, "indelible: the chain's node (RPC_URL): 127.0.0.1:1 could not be reached\n"]);
    expect(await accounts()).toEqual([]);
  });

  it('takes settings from the environment before those of a local start', async () => {
    const { url } = await connect([true], { rpcUrl: 'http://127.0.0.1:1', chainId: 1 });
    const environment = { RPC_URL: url, CHAIN_ID: '31337', CUSTODY_SEED: '0a'.repeat(32) };
    const { code, err } = await runCommand([...create, '--json'], { folder: local.folder, environment });
    expect([code, err]).toEqual([0, '']);
  });

  it('says in one line what is missing without a local start, and shows a stack only on request', async () => {
    await rm(join(local.folder, '.local'), { recursive: true });
    const environment = { DATABASE_URL: local.database.url };
    const { code, err } = await runCommand(create, { folder: local.folder, environment });
    const line = 'indelible: run `npm start` first, or set RPC_URL, CHAIN_ID, CONTRACT_ADDRESS, OPERATOR_ADDRESS\n';
    expect([code, err]).toEqual([1, line]);
    const verbose = await runCommand([...create, '--verbose'], { folder: local.folder, environment });
    expect(verbose.err).toContain(`${line}SettingsError: `);
  });

  it('names a seed that is missing without telling what was given (I10)', async () => {
    await connect([true]);
    const environment = { CUSTODY_SEED: 'a mistyped seed' };
    const { code, err } = await runCommand(create, { folder: local.folder, environment });
    expect(code).toBe(1);
    expect(err).toMatch(/^indelible: custody's seed cannot be read: [^\n]*CUSTODY_SEED_FILE[^\n]*\n$/);
    expect(err).not.toContain('mistyped');
  });

  it("opens nothing with the operator's seed as custody's", async () => {
    await connect([true], { operatorAddress: createOperatorKeys({ seed: Buffer.alloc(32, 9) }).operator.address });
    const { code, out, err } = await runCommand(create, local);
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^indelible: [^\n]*CUSTODY_SEED or CUSTODY_SEED_FILE: it is the operator's seed[^\n]*\n$/);
    expect(await accounts()).toEqual([]);
  });

  it('lists, shows, disables and enables accounts; the chain is not needed for that', async () => {
    await connect([true]);
    const opened: string[] = [];
    for (const name of ['Ada', 'Grace']) {
      const words = ['accounts', 'create', '--name', name, '--email', `${name}@example.com`, '--wait', '0', '--json'];
      opened.push((JSON.parse((await runCommand(words, local)).out) as { address: string }).address);
    }
    await chain?.stop();
    chain = undefined;
    const run = (...words: string[]) => runCommand(['accounts', ...words], local);
    const [ada = '', grace = ''] = opened;

    expect((await run('list')).out).toMatch(
      /^Address +Name +E-mail +Opened +Keys +Disabled\n0x\S{40} +Ada +Ada@example.com +\S+Z +1 +–\n0x\S{40} +Grace .*\n$/,
    );
    const page = await run('list', '--limit', '1', '--json');
    expect([JSON.parse(page.out), page.err]).toMatchObject([
      [{ address: ada }],
      `there are more accounts: --after ${ada}\n`,
    ]);
    const rest = await run('list', '--after', ada, '--json');
    expect([JSON.parse(rest.out), rest.err]).toMatchObject([[{ address: grace, keys: 1, rateLimit: null }], '']);
    expect(JSON.parse((await run('list', '--email', 'grace@example.com', '--json')).out)).toHaveLength(1);

    const disabled = await run('disable', ada);
    expect([disabled.code, disabled.out]).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^Address +${ada}\n(.*\n)*Keys +1 neither revoked nor expired\nDisabled +\\S+Z\n$`),
      ),
    ]);
    expect(JSON.parse((await run('show', ada, '--json')).out)).toMatchObject({
      address: ada,
      disabledAt: expect.any(String),
    });
    expect(JSON.parse((await run('enable', ada.toLowerCase(), '--json')).out)).toMatchObject({ disabledAt: null });

    const nobody = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
    expect(await run('disable', nobody)).toEqual({
      code: 1,
      out: '',
      err: `indelible: there is no account with the address ${nobody}\n`,
    });
    expect((await run('disable', '0x12')).code).toBe(2);
  });

  it.each([
    [['accounts', 'create', '--name', 'Ada'], "required option is missing: '--email <email>'"],
    [['accounts', 'create'], "required options are missing: '--name <name>', '--email <email>'"],
    [['account'], 'Did you mean accounts?'],
    [[...create, '--wait', 'long'], 'It must be an integer from 0 to 86400.'],
    [[...create, '--colour'], "unknown option '--colour'"],
    [['accounts', 'create', '--name', 'Ada', '--email', 'ada'], 'email must be an e-mail address'],
  ])('ends with 2 and one line for %j', async (words, message) => {
    await connect([true]);
    const { code, out, err } = await runCommand(words, local);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^indelible: [^\n]*\n$/);
    expect(err).toContain(message);
  });
});
