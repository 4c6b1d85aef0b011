import { createRpc, getTransactionCount, type Rpc } from '@indelible/ethereum';
import { createOperatorKeys } from '@indelible/ethereum/custody';
import { checksumAddress } from '@indelible/identifiers';
import { type TestAnvil, testAnvil } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setLocalBalance } from '../src/provisioning.ts';
import { runCommand } from './command-line.ts';

jest.setTimeout(120_000);

describe('indelible contract', () => {
  let anvil: TestAnvil;
  let rpc: Rpc;
  beforeAll(async () => {
    anvil = await testAnvil();
    rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
    for (const byte of [1, 2]) await setLocalBalance(rpc, keysOf(byte).operator.address, 10n ** 24n);
  });
  afterAll(async () => {
    rpc.close();
    await anvil.stop();
  });

  const keysOf = (byte: number) => createOperatorKeys({ seed: new Uint8Array(32).fill(byte) });
  const run = (words: readonly string[], environment: Record<string, string> = {}, byte = 1) =>
    runCommand(['contract', ...words], {
      folder: '/',
      environment: { RPC_URL: anvil.rpcUrl, OPERATOR_SEED: `0${byte}`.repeat(32), ...environment },
    });

  it('is deployed once, found again without a record, and verified', async () => {
    const first = JSON.parse((await run(['deploy', '--json'])).out);
    expect(first).toEqual({
      chainId: anvil.chainId,
      contract: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      code: 'ours',
      firstBlock: expect.any(Number),
      operator: checksumAddress(keysOf(1).operator.address),
      deployed: true,
    });
    const sent = await getTransactionCount(rpc, keysOf(1).operator.address);
    expect(JSON.parse((await run(['deploy', '--json'])).out)).toEqual({ ...first, deployed: false });
    const recorded = await run(['deploy'], { CONTRACT_ADDRESS: first.contract, CHAIN_ID: String(anvil.chainId) });
    expect(recorded).toMatchObject({ code: 0, out: expect.stringMatching(/^is there already\n/) });
    expect(await getTransactionCount(rpc, keysOf(1).operator.address)).toBe(sent);
    const verified = await run(['verify'], { CONTRACT_ADDRESS: first.contract });
    expect(verified).toMatchObject({ code: 0, err: '' });
    expect(verified.out).toContain(`First block  ${first.firstBlock}\n`);
  });

  it('is one contract when several commands deploy it at once', async () => {
    const runs = await Promise.all([1, 2, 3].map(() => run(['deploy', '--json'], {}, 2)));
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
    expect(new Set(runs.map(({ out }) => JSON.parse(out).contract)).size).toBe(1);
  });

  it('is refused where it is not, is another, or is on another chain; nothing is sent', async () => {
    const sent = await getTransactionCount(rpc, keysOf(1).operator.address);
    const missing = { CONTRACT_ADDRESS: `0x${'77'.repeat(20)}` };
    expect(await run(['deploy'], missing)).toMatchObject({ code: 1, err: expect.stringContaining('no contract at') });
    expect(await run(['verify'], missing)).toMatchObject({ code: 1, err: expect.stringContaining('no contract at') });
    const other = `0x${'88'.repeat(20)}`;
    await anvil.request('anvil_setCode', [other, '0x6001']);
    expect(await run(['verify'], { CONTRACT_ADDRESS: other })).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not that of this release'),
    });
    expect(await run(['deploy'], { CHAIN_ID: '1' })).toMatchObject({
      code: 1,
      err: expect.stringContaining(`is of chain ${anvil.chainId}, but CHAIN_ID is 1`),
    });
    expect(await getTransactionCount(rpc, keysOf(1).operator.address)).toBe(sent);
  });
});
