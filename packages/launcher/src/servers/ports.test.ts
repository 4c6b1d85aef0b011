import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { anyFreePort, choosePorts, isPortFree, readRememberedPorts, rememberPorts } from './ports.ts';

/** Chooses with these ports taken; any further free ports are 50000, 50001, … */
function choose(options: { taken?: number[]; remembered?: object; wanted?: object; free?: number[] }) {
  const free = options.free ?? [50_000, 50_001];
  return choosePorts(['kafka', 'kafkaController'], {
    wanted: options.wanted ?? { kafka: 9092, kafkaController: 9093 },
    remembered: options.remembered ?? {},
    isFree: async (port) => !(options.taken ?? []).includes(port),
    anyFreePort: async () => free.shift() ?? 0,
  });
}

describe('choosePorts', () => {
  it('takes the wanted ports when they are free', async () => {
    expect(await choose({})).toEqual({ kafka: 9092, kafkaController: 9093 });
  });

  it('takes another free port for one that is taken', async () => {
    expect(await choose({ taken: [9092] })).toEqual({ kafka: 50_000, kafkaController: 9093 });
  });

  it('takes the port of the start before, if it is free, rather than the wanted one', async () => {
    expect(await choose({ remembered: { kafka: 50_123 } })).toEqual({ kafka: 50_123, kafkaController: 9093 });
    expect(await choose({ remembered: { kafka: 50_123 }, taken: [50_123] })).toEqual({
      kafka: 9092,
      kafkaController: 9093,
    });
  });

  it('never gives two uses the same port', async () => {
    expect(await choose({ remembered: { kafka: 9093 } })).toEqual({ kafka: 9093, kafkaController: 50_000 });
    expect(await choose({ wanted: {}, free: [50_000, 50_000, 50_001] })).toEqual({
      kafka: 50_000,
      kafkaController: 50_001,
    });
  });
});

describe('isPortFree', () => {
  it('sees a listener on any address of this machine', async () => {
    const port = await anyFreePort();
    expect(await isPortFree(port)).toBe(true);
    const server = createServer().listen(port, '0.0.0.0');
    await new Promise((listening) => server.once('listening', listening));
    expect(await isPortFree(port)).toBe(false);
    await new Promise((closed) => server.close(closed));
  });
});

describe('remembered ports', () => {
  it('are those of all starts together, and nothing that is no port', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'indelible-ports-'));
    expect(await readRememberedPorts(folder)).toEqual({});
    await rememberPorts(folder, { kafka: 1, redis: 2 });
    await rememberPorts(folder, { redis: 3 });
    expect(await readRememberedPorts(folder)).toEqual({ kafka: 1, redis: 3 });
    await writeFile(join(folder, 'ports.json'), '{"kafka":"x","redis":70000,"other":5,"anvil":6}');
    expect(await readRememberedPorts(folder)).toEqual({ anvil: 6 });
    await writeFile(join(folder, 'ports.json'), '{"kaf');
    expect(await readRememberedPorts(folder)).toEqual({});
    await rm(folder, { recursive: true });
  });
});
