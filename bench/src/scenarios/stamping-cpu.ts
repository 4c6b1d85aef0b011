import { randomBytes } from 'node:crypto';
import { encodeCommitBatch } from '@indelible/commitment-contract';
import { createRpc, type Rpc } from '@indelible/ethereum';
import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { startLoadProcess } from '../load/load-process.ts';
import type { CommitJob } from '../load/part-jobs.ts';
import { readCpuSeconds } from '../measuring/process-cpu.ts';
import type { Row, Scenario, ScenarioContext } from '../scenario.ts';
import { sendUnsigned } from '../system/dev-chain.ts';
import { deployOwnContract, grantOperator } from '../system/own-contract.ts';
import { serviceTarget } from '../system/service-target.ts';
import type { System } from '../system/start-system.ts';

const sets = 10;
/** 10 µs beside the 90 that ethers takes where the goal was set. */
const ratioAtMost = 0.11;
/** How many stamps a round commits, in how large batches. */
const ways = [
  { by: 'services', stampsPerBatch: 1_000, batches: 20 },
  { by: 'services', stampsPerBatch: 500, batches: 40 },
  { by: 'ethers', stampsPerBatch: 500, batches: 10 },
] as const;

/**
 * CPU of a process that does what the services do with the chain, without what they store: compose batches, encode and
 * sign them, broadcast, follow the head, decode the logs of its blocks, match. Beside it the same by ethers.
 */
export const stampingCpu: Scenario = {
  name: 'stamping-cpu',
  about: 'stamps are committed in batches and matched with their logs: CPU a stamp, beside ethers',
  async run({ quick, progress, startSystem, signal }) {
    const system = await startSystem();
    const { rpcUrl, chainId } = system.connection;
    const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 30_000 });
    // A process each, so that one's garbage is not another's.
    const loads = ways.map((way) => ({ ...way, load: startLoadProcess(signal), rounds: [] as number[] }));
    try {
      progress('deploying the contract');
      const stamped = await prepare(rpc, signal);
      const rounds = quick ? 1 : 5;
      // The first rounds warm up.
      for (let round = quick ? 1 : -1; round <= rounds; round++)
        for (const { load, rounds: measured, by, stampsPerBatch, batches } of loads) {
          progress(`${round < 1 ? 'warm-up' : `round ${round} of ${rounds}`}: ${by}, ${stampsPerBatch} a batch`);
          const size = quick ? { batches: 2, stampsPerBatch: 50 } : { batches, stampsPerBatch };
          const job: CommitJob = { kind: 'commit', by, rpcUrl, chainId, ...stamped, ...size };
          const { cpuMicroseconds, stamps } = await load.run(job);
          if (round > 0) measured.push(cpuMicroseconds / stamps);
        }
      const ethers = loads.at(-1)?.rounds ?? [];
      const client = loads.slice(0, -1).map(({ stampsPerBatch, rounds: measured }): Row => {
        return {
          ...{ what: `as the chain’s client, a stamp of ${stampsPerBatch} a batch`, unit: 'µs', rounds: measured },
          baseline: { what: 'ethers, 500 a batch', rounds: ethers },
          reach: { ratioAtMost },
        };
      });
      return [...client, await wholeService(system, { quick, progress, signal })];
    } finally {
      await Promise.all(loads.map(({ load }) => load.stop()));
      rpc.close();
    }
  },
};

/** What the service uses in all while stamps without a collection are accepted and confirmed. */
async function wholeService(
  { connection, services }: System,
  { quick, progress, signal }: Pick<ScenarioContext, 'quick' | 'progress' | 'signal'>,
): Promise<Row> {
  const load = startLoadProcess(signal);
  try {
    const target = serviceTarget(connection);
    const rounds: number[] = [];
    const total = quick ? 1 : 3;
    for (let round = quick ? 1 : 0; round <= total; round++) {
      progress(`${round === 0 ? 'warm-up' : `round ${round} of ${total}`}: the whole service`);
      const size = quick ? { connections: 8, seconds: 0.5 } : { connections: 64, seconds: 4 };
      const before = await readCpuSeconds([services.stamping]);
      const { accepted } = await load.run({ kind: 'accept', ...target, ...size, warmUpSeconds: 0 });
      const after = await readCpuSeconds([services.stamping]);
      const [used = Number.NaN] = [...after].map(([name, seconds]) => seconds - (before.get(name) ?? 0));
      if (round > 0) rounds.push((used * 1e6) / accepted);
    }
    return { what: 'the whole service, a stamp of 64 connections', unit: 'µs', rounds };
  } finally {
    await load.stop();
  }
}

/** A user with sets on the chain, and the lane that stamps for it. */
async function prepare(
  rpc: Rpc,
  signal: AbortSignal,
): Promise<Pick<CommitJob, 'contract' | 'laneKey' | 'user' | 'setCids'>> {
  const contract = await deployOwnContract(rpc);
  const user: Hex = `0x${randomBytes(20).toString('hex')}`;
  const setCids = Array.from({ length: sets }, (): Hex => `0x${randomBytes(32).toString('hex')}`);
  await grantOperator(rpc, contract, [user], signal);
  const runs = setCids.map((setCid) => ({ user, count: 0, newSet: true, setCid }));
  const data = hexOfBytes(encodeCommitBatch(runs, []));
  await sendUnsigned(rpc, [{ from: contract.lane.address, to: contract.address, data, gas: 1_000_000 }], signal);
  return { contract: contract.address, laneKey: hexOfBytes(contract.lane.privateKey), user, setCids };
}
