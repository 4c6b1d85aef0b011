import { zeroCid } from '@indelible/identifiers';
import { encodeCommitBatch, encodeGrant, type Run } from '../../src/index.ts';
import { addressNumber, type Chain, callData, cidNumber } from './chain.ts';
import { addLane } from './lane.ts';

/** A batch whose gas is measured. In steady state its sets have objects and its users have granted. */
export interface GasScenario {
  readonly name: string;
  readonly runs: readonly Run[];
  /** What the design allows, gas a stamp. */
  readonly goal?: number;
}

/** Objects of a batch. */
export const stampsOf = (runs: readonly Run[]): number => runs.reduce((sum, run) => sum + run.count, 0);

/** `sets` sets spread over `users` users, `perSet` objects each. Users and sets differ from scenario to scenario. */
function spread(first: number, users: number, sets: number, perSet: number, newSet = false): Run[] {
  return Array.from({ length: sets }, (_, index) => ({
    user: addressNumber(first + Math.floor((index * users) / sets)),
    count: perSet,
    newSet,
    setCid: cidNumber(first + index),
  }));
}

export const gasScenarios: readonly GasScenario[] = [
  { name: 'alone', runs: spread(1_000, 1, 1, 1), goal: 37_000 },
  { name: '500 objects in one set', runs: spread(2_000, 1, 1, 500) },
  { name: '500 objects in 10 sets of one user', runs: spread(3_000, 1, 10, 50), goal: 3_100 },
  { name: '500 objects in 10 sets of 10 users', runs: spread(4_000, 10, 10, 50) },
  { name: '3000 objects in 10 sets of one user', runs: spread(5_000, 1, 10, 300) },
  { name: '50 users x 10 objects', runs: spread(6_000, 50, 50, 10) },
  { name: '500 users x 1 object', runs: spread(7_000, 500, 500, 1), goal: 12_000 },
  {
    name: '500 objects without a set',
    runs: [{ user: addressNumber(8_000), count: 500, newSet: false, setCid: zeroCid }],
  },
  { name: 'alone in a new set', runs: spread(9_000, 1, 1, 1, true) },
  { name: '500 users x 1 object in new sets', runs: spread(10_000, 500, 500, 1, true) },
];

/** Gas of every scenario's transaction, sent by a lane. */
export async function measureGas(chain: Chain): Promise<Map<string, number>> {
  const { lane, operator } = await addLane(chain, 1);
  const gas = new Map<string, number>();
  let nextObject = 100_000;
  const batch = async (runs: readonly Run[]) => {
    const objects = stampsOf(runs);
    const cids = Array.from({ length: objects }, (_, index) => cidNumber(nextObject + index));
    nextObject += objects;
    const [receipt] = await chain.send({ from: lane, data: callData(encodeCommitBatch(runs, cids)) });
    if (receipt?.status !== '0x1') throw new Error('the batch failed');
    return Number(receipt.gasUsed);
  };
  for (const { name, runs } of gasScenarios) {
    const users = new Set(runs.map((run) => run.user));
    await chain.send(...[...users].map((user) => ({ from: user, data: encodeGrant({ delegate: operator }) })));
    const sets = runs.filter((run) => !run.newSet && run.setCid !== zeroCid);
    await batch(sets.map((run) => ({ ...run, count: 0, newSet: true })));
    gas.set(name, await batch(runs));
  }
  return gas;
}
