import { createInterface } from 'node:readline';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { alice, bob, cid, exited, type RebuildWorld, startRebuildWorld } from './support/rebuild-world.ts';

jest.setTimeout(180_000);

let world: RebuildWorld;
/** A block of several parts, objects without a set, what nobody of ours wrote, and two reorgs. */
beforeAll(async () => {
  world = await startRebuildWorld();
  const { anvil } = world;
  await world.addSet(alice, cid(1));
  await anvil.mine();
  for (let part = 0; part < 3; part++)
    await world.addSetObjects(
      alice,
      cid(1),
      Array.from({ length: 400 }, (_, i) => cid(1_000 * part + i)),
    );
  await anvil.mine();
  await world.addObject(bob, cid(7));
  await anvil.mine(2);
  await world.grown();
  await anvil.reorg(2);
  await world.addObject(bob, cid(8));
  await anvil.mine(3);
  await world.grown();
  await anvil.reorg(1);
  await world.addSetObjects(alice, cid(1), [cid(7), cid(8)]);
  await anvil.mine(6);
  expect((await world.grown()).commitments).toHaveLength(1_203);
}, 180_000);
afterAll(() => world.stop(), 60_000);

const damage = async (): Promise<void> => {
  await world.pool.query('delete from verification.commitments where log_index % 7 = 0');
  await world.pool.query("update verification.commitments set set_cid = '\\x00' where log_index % 5 = 0");
};

describe('indelible rebuild', () => {
  it.each([['topics'], ['chain']])('makes the commitments as they were grown, from the %s (I8)', async (from) => {
    const grown = await world.grown();
    await damage();
    const { code, out, err } = await world.rebuild('verification.commitments', '--from', from, '--json');
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ projection: 'verification.commitments', leftOut: 0 });
    expect(await world.everything()).toEqual(grown);
    expect(await world.schemas()).toEqual(['verification']);
  });

  it('that is killed leaves the old read model or the new one, and is run again (I8)', async () => {
    const grown = await world.grown();
    await damage();
    const damaged = await world.everything();
    for (const step of ['shadow made', 'filled', 'gate closed', 'tables moved']) {
      const child = world.startRebuild('verification.commitments', '--from', 'chain');
      child.stdout?.resume();
      if (child.stderr !== null)
        for await (const line of createInterface({ input: child.stderr }))
          if (line.endsWith(step)) child.kill('SIGKILL');
      await exited(child);
      expect([damaged, grown]).toContainEqual(await world.everything());
    }
    // Postgres may see only a moment later that the killed one is gone, which kept others out.
    await eventually(async () => expect(await world.rebuild('verification.commitments')).toMatchObject({ code: 0 }), {
      timeoutMs: 60_000,
    });
    expect(await world.everything()).toEqual(grown);
    expect(await world.schemas()).toEqual(['verification']);
  });

  it('from the chain goes on with what is told next, over a reorg and with blocks coming meanwhile (I4, I9)', async () => {
    await damage();
    await world.anvil.request('evm_setIntervalMining', [1]);
    try {
      await world.addObject(bob, cid(9));
      expect(await world.rebuild('verification.commitments', '--from', 'chain')).toMatchObject({ code: 0 });
    } finally {
      await world.anvil.request('evm_setIntervalMining', [0]);
    }
    await world.anvil.reorg(1);
    await world.addObject(bob, cid(10));
    await world.anvil.mine(2);
    const grown = await world.grown();
    expect(await world.rebuild('verification.commitments')).toMatchObject({ code: 0 });
    expect(await world.everything()).toEqual(grown);
  });

  it('survives the loss of events.chain: not by its rest, but from the chain, and goes on (I8)', async () => {
    const grown = await world.grown();
    await world.loseChainTopic();
    await damage();
    const damaged = await world.everything();
    expect(await world.rebuild('verification.commitments')).toMatchObject({
      code: 1,
      err: expect.stringContaining('lost its first messages'),
    });
    expect(await world.everything()).toEqual(damaged);
    expect(await world.rebuild('verification.commitments', '--from', 'chain')).toMatchObject({ code: 0 });
    expect(await world.everything()).toEqual(grown);
    await world.addObject(bob, cid(11));
    await world.anvil.mine();
    expect((await world.grown()).commitments).toHaveLength(grown.commitments.length + 1);
  });

  it('refuses what it cannot do, and says what it can', async () => {
    expect(await world.rebuild('stamping.stamps')).toMatchObject({
      code: 2,
      err: expect.stringContaining('verification.commitments'),
    });
    expect(await world.rebuild('verification.collections', '--from', 'chain')).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be made from the chain'),
    });
  });
});
