import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpc, type Rpc } from '@indelible/ethereum';
import { createOperatorKeys, createSeedLanes } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { type TestKms, testAnvil, testKms } from '@indelible/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { computeAddress } from 'ethers';
import { ensureContract, operatorOfLane, setLocalBalance } from '../src/provisioning.ts';
import { runCommand } from './command-line.ts';

const operatorSeed = '0a'.repeat(32);
const laneSeed = '0b'.repeat(32);
const { operator } = createOperatorKeys({ seed: Buffer.from(operatorSeed, 'hex') });
let anvil: Awaited<ReturnType<typeof testAnvil>>;
let kms: TestKms;
let rpc: Rpc;
let contract: Hex;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'indelible-grants-'));
  [anvil, kms] = await Promise.all([testAnvil(), testKms()]);
  rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  await setLocalBalance(rpc, operator.address, 10n ** 24n);
  contract = (await ensureContract({ rpc, operator, lanes: [] })).address;
  await writeFile(join(folder, 'operator.seed'), operatorSeed, { mode: 0o600 });
  await writeFile(join(folder, 'lanes.seed'), laneSeed, { mode: 0o600 });
});
afterAll(async () => {
  rpc.close();
  await Promise.all([anvil.stop(), kms.stop()]);
  await rm(folder, { recursive: true, force: true });
});

const online = () => ({
  RPC_URL: anvil.rpcUrl,
  CONTRACT_ADDRESS: contract,
  OPERATOR_ADDRESS: operator.address,
});
const run = (words: readonly string[], environment: Record<string, string>) =>
  runCommand(['lanes', ...words], { folder, environment });
const save = async (name: string, text: string): Promise<string> => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

async function grantCold(name: string, keys: Record<string, string>): Promise<string> {
  const requested = await run(['request-grants'], { ...online(), ...keys });
  expect(requested).toMatchObject({ code: 0 });
  // Where the operator's key is there is no network, and no key of a lane.
  const signed = await run(['sign-grants', await save(`${name}.json`, requested.out)], {
    OPERATOR_SEED_FILE: join(folder, 'operator.seed'),
  });
  expect(signed).toMatchObject({ code: 0, err: expect.stringContaining('signed: lane 0x') });
  const file = await save(`${name}-signed.json`, signed.out);
  expect(await run(['send-grants', file], { RPC_URL: anvil.rpcUrl })).toMatchObject({ code: 0 });
  for (const text of [requested.out, requested.err, signed.out, signed.err])
    expect(text).not.toMatch(new RegExp(`${operatorSeed}|${laneSeed}`));
  return file;
}

it('lanes of a seed are granted by an operator who has no network: requested, signed and sent on different machines (I10)', async () => {
  const file = await grantCold('seed', { LANE_SEED_FILE: join(folder, 'lanes.seed'), LANES: '2' });
  const signer = createSeedLanes({ seed: Buffer.from(laneSeed, 'hex') });
  for (const index of [0, 1])
    expect(await operatorOfLane({ rpc, contract }, await signer.address(index))).toBe(operator.address);
  const again = await run(['send-grants', file], { RPC_URL: anvil.rpcUrl });
  expect(again).toMatchObject({ code: 0, out: 'all lanes were granted already\n' });
}, 60_000);

it('a lane whose key is in AWS KMS is granted in the same way', async () => {
  const privateKey = Buffer.alloc(32, 0x0c);
  kms.createKey('alias/lane-0', privateKey);
  await grantCold('kms', { LANE_KMS_KEYS: 'alias/lane-0', ...kms.environment });
  const lane = computeAddress(`0x${privateKey.toString('hex')}`).toLowerCase() as Hex;
  expect(await operatorOfLane({ rpc, contract }, lane)).toBe(operator.address);
}, 60_000);

it('what cannot be done is said in one line: no file, no request, the seed of another', async () => {
  const file = await save('other.json', '{}');
  const others = { OPERATOR_SEED: '0d'.repeat(32) };
  for (const [words, environment, reason] of [
    [['sign-grants', 'missing.json'], others, /missing\.json cannot be read/],
    [['sign-grants', file], others, /no request for grants/],
    [['sign-grants', join(folder, 'seed.json')], others, /the request is for operator 0x/],
    [['send-grants', join(folder, 'seed.json')], { RPC_URL: anvil.rpcUrl }, /0 are signed/],
    [['request-grants'], { ...online(), LANE_SEED: 'zz' }, /LANE_SEED or LANE_SEED_FILE/],
  ] as const) {
    const { code, out, err } = await run(words, environment);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(reason);
    expect(err.trim().split('\n')).toHaveLength(1);
  }
}, 60_000);
