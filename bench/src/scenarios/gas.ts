import { createHash } from 'node:crypto';
import { encodeCommitBatch, encodeGrant, type Run } from '@indelible/commitment-contract';
import { createRpc, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import type { Row, Scenario } from '../scenario.ts';
import { sendUnsigned } from '../system/dev-chain.ts';
import { deployOwnContract } from '../system/own-contract.ts';
import { compileSlotPerObject } from '../system/slot-per-object.ts';

/** Each user has as many sets as the others, and each set as many objects. */
type Shape = { readonly what: string; readonly users: number; readonly sets: number; readonly ratioAtMost: number };
type UserSet = { readonly user: Hex; readonly setCid: Hex };
/** A contract by the calls that it takes: a user's consent, sets to be there, and the batch that is measured. */
type Contract = {
  readonly address: Hex;
  /** Who sends sets and objects. */
  readonly sender: Hex;
  readonly grant: Hex;
  readonly addSets: (sets: readonly UserSet[]) => Hex;
  readonly addObjects: (sets: readonly UserSet[], perSet: number) => Hex;
};

const shapes: readonly Shape[] = [
  { what: 'in 10 sets of one user', users: 1, sets: 10, ratioAtMost: 0.11 },
  { what: 'of as many users, a set each', users: 500, sets: 500, ratioAtMost: 0.41 },
];
/** The most that a transaction may take (EIP-7825). */
const transactionGas = 16_777_216;
const grantGas = 100_000;

/**
 * What a transaction of 500 stamps takes, by the stamp: with the contract, and with one that keeps a slot per object. Users
 * have granted and sets are recorded before. Addresses and CIDs are hashes of numbers, so each time takes the same gas and
 * one round is enough.
 */
export const gas: Scenario = {
  name: 'gas',
  about: '500 stamps in one transaction: gas a stamp, beside a contract that keeps a storage slot per object',
  async run({ quick, progress, startSystem, signal }) {
    const objects = quick ? 20 : 500;
    const { connection } = await startSystem();
    const rpc = createRpc({ urls: [connection.rpcUrl], timeoutMs: 30_000 });
    try {
      progress('deploying both contracts');
      const [ours, slots] = await Promise.all([ourContract(rpc), slotPerObject(rpc, signal)]);
      const rows: Row[] = [];
      for (const { what, ratioAtMost, ...shape } of shapes) {
        progress(`${objects} objects ${what}`);
        const sets = setsOf(Math.min(shape.users, objects), Math.min(shape.sets, objects));
        const [own, baseline] = await Promise.all(
          [ours, slots].map((contract) => gasOfBatch(rpc, contract, sets, objects, signal)),
        );
        rows.push({
          ...{ what: `${objects} objects ${what}, a stamp`, unit: 'gas', rounds: [(own as number) / objects] },
          baseline: { what: 'a slot per object', rounds: [(baseline as number) / objects] },
          reach: { ratioAtMost },
        });
      }
      return rows;
    } finally {
      rpc.close();
    }
  },
};

const hashOf = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`;
const addressOf = (text: string): Hex => hashOf(text).slice(0, 42) as Hex;
const cidsOf = (count: number): Hex[] => Array.from({ length: count }, (_, i) => hashOf(`object ${i}`));

const setsOf = (users: number, sets: number): UserSet[] =>
  Array.from({ length: sets }, (_, i) => ({
    user: addressOf(`user ${users} ${i % users}`),
    setCid: hashOf(`set ${sets} ${i}`),
  }));

async function ourContract(rpc: Rpc): Promise<Contract> {
  const { address, operator, lane } = await deployOwnContract(rpc);
  const encode = (runs: readonly Run[], cids: readonly Hex[]): Hex => hexOfBytes(encodeCommitBatch(runs, cids));
  const runs = (sets: readonly UserSet[], count: number, newSet: boolean): Run[] =>
    sets.map((set) => ({ ...set, count, newSet }));
  return {
    address,
    sender: lane.address,
    grant: encodeGrant({ delegate: operator }),
    addSets: (sets) => encode(runs(sets, 0, true), []),
    addObjects: (sets, perSet) => encode(runs(sets, perSet, false), cidsOf(sets.length * perSet)),
  };
}

async function slotPerObject(rpc: Rpc, signal: AbortSignal): Promise<Contract> {
  const { abi, bytecode } = await compileSlotPerObject();
  const sender = addressOf('sender');
  const [deployed] = await sendUnsigned(rpc, [{ from: sender, data: bytecode, gas: transactionGas }], signal);
  const address = deployed?.contractAddress;
  if (!address) throw new Error('the contract of the baseline was not deployed');
  const encode = (name: string, ...values: readonly unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;
  const columns = (items: readonly UserSet[]) => [items.map(({ user }) => user), items.map(({ setCid }) => setCid)];
  return {
    address,
    sender,
    grant: encode('grant', sender),
    addSets: (sets) => encode('addUsersSets', ...columns(sets)),
    addObjects(sets, perSet) {
      const items = sets.flatMap((set) => Array.from({ length: perSet }, () => set));
      return encode('addUsersSetsObjectsBatch', ...columns(items), cidsOf(items.length));
    },
  };
}

/** @throws Error unless each set and each object made a log */
async function gasOfBatch(
  rpc: Rpc,
  { address, sender, ...calls }: Contract,
  sets: readonly UserSet[],
  objects: number,
  signal: AbortSignal,
): Promise<number> {
  const users = [...new Set(sets.map(({ user }) => user))];
  const grants = users.map((from) => ({ from, to: address, data: calls.grant, gas: grantGas }));
  await sendUnsigned(rpc, grants, signal);
  const send = async (data: Hex, logs: number): Promise<number> => {
    const [mined] = await sendUnsigned(rpc, [{ from: sender, to: address, data, gas: transactionGas }], signal);
    if (mined?.logs !== logs) throw new Error(`${mined?.logs} logs in place of ${logs}`);
    return mined.gasUsed;
  };
  await send(calls.addSets(sets), sets.length);
  return send(calls.addObjects(sets, objects / sets.length), objects);
}
