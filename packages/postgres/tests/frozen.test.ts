import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLogger } from '@indelible/service-runtime';
import { eventually, testDatabase } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLeadership } from '../src/index.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
let stored: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  stored = await testDatabase();
});
afterAll(() => stored.drop());

/** A process that leads, says so, and says so again when it has lost the lead. */
function startLeader(name: string): ChildProcess {
  const program = `
    import { createLeadership } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const leadership = createLeadership({
      url: ${JSON.stringify(stored.url)}, name: ${JSON.stringify(name)}, logger, silenceMs: 3_000,
      lead: (_, signal) => new Promise((resolve) => {
        process.stdout.write('leads\\n');
        signal.addEventListener('abort', () => { process.stdout.write('lost\\n'); resolve(); });
      }),
    });
    await leadership.start();`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
}

describe('a lead', () => {
  it('passes to another while its holder is frozen, which learns it when it resumes', async () => {
    const frozen = startLeader('frozen');
    const said: string[] = [];
    frozen.stdout?.on('data', (data: Buffer) => said.push(...data.toString().trim().split('\n')));
    let leads = 0;
    const other = createLeadership({
      url: stored.url,
      name: 'frozen',
      logger,
      retryMs: 50,
      lead: async (_, signal) => {
        leads += 1;
        await once(signal, 'abort');
      },
    });
    try {
      await eventually(() => expect(said).toEqual(['leads']), { timeoutMs: 20_000 });
      await other.start();
      frozen.kill('SIGSTOP');
      await eventually(() => expect(leads).toBe(1), { timeoutMs: 20_000 });
      frozen.kill('SIGCONT');
      await eventually(() => expect(said).toEqual(['leads', 'lost']));
      expect(other.leading()).toBe(true);
    } finally {
      frozen.kill('SIGKILL');
      await other.stop();
    }
  });

  it('is kept by a holder who only waits', async () => {
    const name = 'waiting';
    const losses: number[] = [];
    const waiting = createLeadership({
      url: stored.url,
      name,
      logger,
      silenceMs: 2_000,
      lead: async (_, signal) => {
        await once(signal, 'abort');
        losses.push(1);
      },
    });
    await waiting.start();
    await eventually(() => expect(waiting.leading()).toBe(true));
    // The server has ended sessions of the same bound that did keep silent.
    const silent = new pg.Client({ connectionString: stored.url });
    silent.on('error', () => undefined);
    const ended = new Promise((resolve) => silent.once('end', resolve));
    await silent.connect();
    await silent.query('set idle_session_timeout = 3000');
    await ended;
    expect(waiting.leading()).toBe(true);
    expect(losses).toEqual([]);
    await waiting.stop();
    expect(losses).toEqual([1]);
  });
});
