import type { Hex } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import { BlockAppended, BlocksReverted } from '@indelible/messages';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let account: Hex;
beforeEach(async () => {
  fixture = await createFixture();
  account = await fixture.openAccount(0);
  await fixture.settle();
});
afterEach(() => fixture.dispose());

const head = async (): Promise<number> => Number(await fixture.anvil.request('eth_blockNumber', []));

/** The blocks from `from` to the newest, as the indexer republishes them: with new ids. */
async function published(from: number): Promise<IncomingMessage<typeof BlockAppended>[]> {
  const to = await head();
  return Promise.all(Array.from({ length: to - from + 1 }, (_, i) => fixture.blockMessage(from + i)));
}

/** A stamp in a block that nobody has read. */
async function mineUnread(): Promise<string> {
  const request = stampRequest(account);
  await fixture.request(request);
  await fixture.broadcast(await fixture.sign());
  await fixture.anvil.mine(1);
  return request.requestId;
}

const statusOf = async (id: string) => (await fixture.rows('select status from stamps where id = $1', [id]))[0]?.status;

describe('facts of the chain that do not follow the last ones (I11)', () => {
  it('a block after a gap is dropped; published again, all that is missing confirms its stamps (I1, I5)', async () => {
    const stamp = await mineUnread();
    const lost = await head();
    await fixture.anvil.mine(2);
    const later = await published(lost + 1);
    expect(await handleChainFacts(fixture.facts, later)).toMatchObject({
      confirmed: 0,
      dropped: 2,
      missing: lost,
      followed: false,
    });
    expect(await statusOf(stamp)).toBe('requested');
    expect(await handleChainFacts(fixture.facts, await published(lost))).toMatchObject({
      confirmed: 1,
      dropped: 0,
      missing: undefined,
      followed: true,
    });
    expect(await statusOf(stamp)).toBe('confirmed');
  });

  it('old history that is read again is dropped without a trace, and what is new after it confirms (I5)', async () => {
    const confirmed = stampRequest(account);
    await fixture.request(confirmed);
    await fixture.settle();
    const [before] = await fixture.rows('select count(*)::int as handled from inbox');
    const history = await published(0);
    const stamp = await mineUnread();
    const [next] = await published(await head());
    expect(await handleChainFacts(fixture.facts, history)).toMatchObject({ confirmed: 0, dropped: 0, unmatched: [] });
    expect(await fixture.rows('select count(*)::int as handled from inbox')).toEqual([
      { handled: Number(before?.handled) + 1 },
    ]);
    expect(await handleChainFacts(fixture.facts, [next!])).toMatchObject({ confirmed: 1, missing: undefined });
    expect(await statusOf(stamp)).toBe('confirmed');
    const events = (await fixture.events('StampConfirmed')).filter(({ data }) => data.stampId === confirmed.requestId);
    expect(events).toHaveLength(1);
  });

  it('a mark above a gap confirms nothing; a part of a block whose part before it is lost is dropped (I1)', async () => {
    const number = await head();
    await fixture.anvil.mine(2);
    expect(await fixture.finalize(number + 2)).toMatchObject({ dropped: 1, missing: number + 1 });
    expect(await fixture.rows('select finalized from chain_cursor')).toEqual([{ finalized: 0 }]);
    const { data } = await fixture.blockMessage(number + 1);
    const part = (n: number) => incoming(BlockAppended, { ...data, part: n, parts: 3 });
    expect(await handleChainFacts(fixture.facts, [part(1), part(3)])).toMatchObject({
      dropped: 1,
      missing: number + 1,
    });
    expect(await handleChainFacts(fixture.facts, [part(1), part(2), part(3)])).toMatchObject({ dropped: 0 });
    await fixture.readChain();
  });

  it('a block of another fork, whose revert is lost, takes back what is not final and has it published again (I4)', async () => {
    await fixture.finalize();
    const final = await head();
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    await fixture.anvil.request('anvil_rollback', [1]);
    await fixture.anvil.request('anvil_dropAllTransactions', []);
    await fixture.anvil.request('evm_increaseTime', [60]);
    await fixture.anvil.mine(2);
    const fork = await published(final + 1);
    expect(await handleChainFacts(fixture.facts, fork.slice(1))).toMatchObject({ reverted: 1, missing: final + 1 });
    expect(await statusOf(request.requestId)).toBe('requested');
    expect(await handleChainFacts(fixture.facts, fork)).toMatchObject({
      followed: true,
      missing: undefined,
      dropped: 0,
    });
    await fixture.readChain();
    await fixture.tend();
    expect(await fixture.settle()).toMatchObject({ confirmed: 1, unmatched: [] });
  });

  it('an old revert that is read again takes nothing back (I4)', async () => {
    const request = stampRequest(account);
    await fixture.request(request);
    await fixture.settle();
    await fixture.anvil.mine(3);
    await fixture.readChain();
    const hash: Hex = `0x${'ab'.repeat(32)}`;
    const old = incoming(BlocksReverted, {
      chainId: fixture.chainId,
      ancestor: { number: 0, hash },
      revertedHead: { number: 1, hash },
    });
    expect(await handleChainFacts(fixture.facts, [old])).toMatchObject({ reverted: 0, dropped: 0 });
    expect(await statusOf(request.requestId)).toBe('confirmed');
  });
});
