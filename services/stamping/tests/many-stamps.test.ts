import type { Hex } from '@indelible/identifiers';
import { BlocksFinalized, BlocksReverted } from '@indelible/messages';
import type { Database } from '@indelible/postgres';
import { afterEach, describe, expect, it } from '@jest/globals';
import { mostAtOnce } from '../src/confirming/confirm-deep.ts';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
afterEach(() => fixture.dispose());

const count = 2 * mostAtOnce + 500;
const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));

/** A database whose process dies after `commits` transactions: the next never begins. */
const dyingAfter = (database: Database, commits: number): Database => {
  let left = commits;
  return {
    ...database,
    transaction: (work) => (left-- > 0 ? database.transaction(work) : Promise.reject(new Error('the process is dead'))),
  };
};

async function manyInBlocks(): Promise<readonly string[]> {
  const account = await fixture.openAccount(0);
  await fixture.settle();
  const requests = Array.from({ length: count }, () => stampRequest(account, { idempotency: null }));
  await fixture.request(...requests);
  await fixture.settle();
  return requests.map(({ requestId }) => requestId);
}

const statuses = () =>
  fixture.rows('select status, count(*)::int as stamps from stamps group by status order by status');

const streams = async (type: string): Promise<[number, number]> => {
  const all = (await fixture.events(type)).map(({ stream }) => stream);
  return [all.length, new Set(all).size];
};

describe('what one fact of the chain sets off for thousands of stamps', () => {
  it('finality is handled in parts; a crash between two leaves what the next fact completes, each once (I5, I6)', async () => {
    fixture = await createFixture({ confirmation: 'finalized' });
    const ids = await manyInBlocks();
    const { number, hash } = (await fixture.blockMessage(await head())).data;
    const mark = incoming(BlocksFinalized, { chainId: fixture.chainId, number, hash });
    const sizes: number[] = [];
    const dying = { ...fixture.facts, database: dyingAfter(fixture.database, 2) };
    await expect(handleChainFacts(dying, [mark], ({ confirmed }) => void sizes.push(confirmed))).rejects.toThrow(
      'dead',
    );
    expect(sizes).toEqual([mostAtOnce, mostAtOnce]);
    expect(await fixture.rows(`select 1 from batches where status = 'finalized' and kind = 'commit'`)).toEqual([]);

    // A fact of any kind: with this depth, the next mark may be minutes away.
    await fixture.anvil.mine(1);
    const rest = await fixture.readChain();
    expect(rest.confirmed).toBe(count - 2 * mostAtOnce);
    expect(await handleChainFacts(fixture.facts, [mark])).toMatchObject({ confirmed: 0 });
    expect(await fixture.finalize()).toMatchObject({ confirmed: 0 });
    expect(await statuses()).toEqual([{ status: 'confirmed', stamps: count }]);
    expect(await streams('StampConfirmed')).toEqual([count, count]);
    const final = (await fixture.events('StampsFinalized')).flatMap(({ data }) => data.stampIds as string[]);
    expect(final.toSorted()).toEqual([...ids].sort());
  });

  it('a deep reorg is taken back in parts; a crash between two is resumed by the same message (I4, I5)', async () => {
    fixture = await createFixture();
    const ancestor = 1;
    await manyInBlocks();
    const { hash } = (await fixture.blockMessage(ancestor)).data;
    const newest = (await fixture.blockMessage(await head())).data;
    const revert = incoming(BlocksReverted, {
      chainId: fixture.chainId,
      ancestor: { number: ancestor, hash },
      revertedHead: { number: newest.number, hash: newest.hash },
    });
    const dying = { ...fixture.facts, database: dyingAfter(fixture.database, 1) };
    let first = 0;
    const dead = handleChainFacts(dying, [revert], ({ reverted }) => {
      first += reverted;
    });
    await expect(dead).rejects.toThrow('dead');
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(count);
    expect(await fixture.rows('select number from chain_cursor')).toEqual([{ number: newest.number }]);

    const { reverted } = await handleChainFacts(fixture.facts, [revert]);
    expect(first + reverted).toBe(count);
    expect(await handleChainFacts(fixture.facts, [revert])).toMatchObject({ reverted: 0 });
    expect(await statuses()).toEqual([{ status: 'requested', stamps: count }]);
    expect(await streams('StampReverted')).toEqual([count, count]);
    expect(await fixture.rows('select number from chain_cursor')).toEqual([{ number: ancestor }]);
    // The same blocks are redelivered.
    const again: Hex[] = [];
    for (let number = ancestor + 1; number <= newest.number; number++) {
      const block = await fixture.blockMessage(number);
      again.push(block.data.hash);
      await handleChainFacts(fixture.facts, [block]);
    }
    expect(again.at(-1)).toBe(newest.hash);
    expect(await statuses()).toEqual([{ status: 'confirmed', stamps: count }]);
  });
});
