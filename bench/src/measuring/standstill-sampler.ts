import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { callRpc } from '@indelible/local-infrastructure';
import pg from 'pg';
import { type CpuWatched, readCpuSeconds } from './process-cpu.ts';

/** What was seen at one second of the clock; what could not be read is left out, which is a finding as well. */
type Sample = {
  readonly second: number;
  readonly block?: number;
  readonly pending?: number;
  readonly checkpoints?: number;
  readonly chainWritten?: number;
  readonly cpu: ReadonlyMap<string, number>;
};

/** Looks once a second at what could stand still. */
export type StandstillSampler = {
  /** A line a second around what was the longest time without an answer; the last ones when no answers are known. */
  explain(answeredIn: Readonly<Record<number, number>>): readonly string[];
  stop(): Promise<void>;
};

const answerTimeoutMs = 800;
const shownAround = 3;
const shownAtLeast = 12;

export function startStandstillSampler(options: {
  readonly rpcUrl: string;
  readonly databaseUrl: string;
  /** Written when the whole chain is saved. */
  readonly chainFile: string | undefined;
  readonly processes: readonly CpuWatched[];
}): StandstillSampler {
  const stopping = new AbortController();
  const samples: Sample[] = [];
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 1, query_timeout: answerTimeoutMs });
  pool.on('error', () => {});
  const rpc = async <T>(method: string): Promise<T> =>
    callRpc<T>(options.rpcUrl, method, [], AbortSignal.timeout(answerTimeoutMs));

  async function sample(): Promise<Sample> {
    const second = Math.floor(Date.now() / 1_000);
    const [block, pool_, checkpoints, file, cpu] = await Promise.allSettled([
      rpc<string>('eth_blockNumber'),
      rpc<{ pending: string }>('txpool_status'),
      pool.query<{ done: number }>('select (num_timed + num_requested)::int as done from pg_stat_checkpointer'),
      options.chainFile === undefined ? undefined : stat(options.chainFile),
      readCpuSeconds(options.processes),
    ]);
    return {
      second,
      ...(block.status === 'fulfilled' ? { block: Number(block.value) } : {}),
      ...(pool_.status === 'fulfilled' ? { pending: Number(pool_.value.pending) } : {}),
      ...(checkpoints.status === 'fulfilled' ? { checkpoints: checkpoints.value.rows[0]?.done ?? 0 } : {}),
      ...(file.status === 'fulfilled' && file.value !== undefined ? { chainWritten: file.value.mtimeMs } : {}),
      cpu: cpu.status === 'fulfilled' ? cpu.value : new Map(),
    };
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      samples.push(await sample());
      await delay(1_000 - (Date.now() % 1_000), undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    explain(answeredIn) {
      const end = samples.at(-1)?.second ?? 0;
      const answered = Object.keys(answeredIn).map(Number);
      const { from, to } = answered.length === 0 ? { from: end - shownAtLeast, to: end } : longestGap(answered, end);
      return samples.flatMap((now, i) => {
        if (now.second < from - shownAround || now.second > to + shownAround) return [];
        return [lineOf(now, samples[i - 1], answeredIn[now.second] ?? 0)];
      });
    },
    async stop() {
      stopping.abort();
      await running;
      await pool.end();
    },
  };
}

/** The seconds between which nothing was answered for longest, the time from the last answer to `end` included. */
export function longestGap(answered: readonly number[], end: number): { readonly from: number; readonly to: number } {
  const seconds = [...answered, end].sort((a, b) => a - b);
  let longest = { from: seconds[0] ?? end, to: seconds[0] ?? end };
  for (const [i, to] of seconds.entries()) {
    const from = seconds[i - 1] ?? to;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  return longest;
}

function lineOf(now: Sample, before: Sample | undefined, answered: number): string {
  const mined =
    now.block === undefined || before?.block === undefined
      ? 'the node does not answer'
      : `${now.block - before.block} blocks`;
  const saved = now.chainWritten !== before?.chainWritten ? ', chain saved whole' : '';
  const checkpoint = now.checkpoints !== before?.checkpoints ? ', checkpoint of Postgres' : '';
  const busy = [...now.cpu]
    .map(([name, seconds]) => [name, Math.round((seconds - (before?.cpu.get(name) ?? seconds)) * 100)] as const)
    .filter(([, percent]) => percent >= 5)
    .sort((a, b) => b[1] - a[1])
    .map(([name, percent]) => `${name} ${percent} %`);
  const at = new Date(now.second * 1_000).toISOString().slice(11, 19);
  return `${at}  ${answered} answers, ${mined}, ${now.pending ?? '?'} transactions waiting${saved}${checkpoint}; CPU: ${busy.join(', ') || 'none'}`;
}
