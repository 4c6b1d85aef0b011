import { createSeedCustody } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { BlockAppended, BlocksReverted, type ChainLog } from '@indelible/messages';
import { eventually } from '@indelible/testing';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { deriveDelegations } from '../src/accounts/delegations.ts';
import { lockCursor } from '../src/confirming/cursor.ts';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { incoming, stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
let newest: { number: number; hash: Hex };
beforeEach(async () => {
  fixture = await createFixture();
  await append(0);
});
afterEach(() => fixture.dispose());

const hashOf = (number: number): Hex => `0x${(number + 1).toString(16).padStart(64, '0')}`;

/** A made-up block with these logs of one user. */
async function append(number: number, user?: Hex, ...kinds: ('grant' | 'revoke')[]) {
  const logs = kinds.map(
    (kind, logIndex): ChainLog => ({
      kind,
      transactionHash: hashOf(1_000 + number),
      logIndex,
      user: user as Hex,
      delegate: fixture.operator,
    }),
  );
  newest = { number, hash: hashOf(number) };
  return handleChainFacts(fixture.facts, [
    incoming(BlockAppended, {
      chainId: fixture.chainId,
      ...newest,
      parentHash: hashOf(number - 1),
      time: number,
      part: 1,
      parts: 1,
      logs,
    }),
  ]);
}

async function revertTo(number: number): Promise<void> {
  const ancestor = { number, hash: hashOf(number) };
  const revertedHead = { number: newest.number, hash: newest.hash };
  await handleChainFacts(fixture.facts, [
    incoming(BlocksReverted, { chainId: fixture.chainId, ancestor, revertedHead }),
  ]);
  newest = ancestor;
}

const stateOf = async (account: Hex) =>
  (
    await fixture.rows('select granted_block, revoked_block from accounts where account = $1', [
      Buffer.from(account.slice(2), 'hex'),
    ])
  )[0];

it('a reorg that takes back the last of several grants and revocations brings back the one before (I4)', async () => {
  const account = await fixture.openAccount(0);
  await append(1, account, 'grant');
  await append(2, account, 'revoke');
  await append(3, account, 'revoke', 'grant');
  await append(4, account, 'grant');
  expect(await stateOf(account)).toEqual({ granted_block: 4, revoked_block: null });
  await revertTo(3);
  expect(await stateOf(account)).toEqual({ granted_block: 3, revoked_block: null });
  await revertTo(2);
  expect(await stateOf(account)).toEqual({ granted_block: 1, revoked_block: 2 });
  expect((await fixture.request(stampRequest(account))).counts).toMatchObject({ refused: 1 });
  await revertTo(1);
  expect(await stateOf(account)).toEqual({ granted_block: 1, revoked_block: null });
  expect((await fixture.request(stampRequest(account))).counts).toMatchObject({ new: 1 });
  await revertTo(0);
  expect(await stateOf(account)).toEqual({ granted_block: null, revoked_block: null });
  await append(1, account, 'revoke');
  expect(await stateOf(account)).toEqual({ granted_block: null, revoked_block: 1 });
});

it('an account that is opened after its grant was read may be stamped for', async () => {
  const address = await fixture.openAccount(3);
  await fixture.pool.query('delete from stamping.accounts');
  await append(1, address, 'grant');
  expect(await stateOf(address)).toBeUndefined();
  await fixture.openAccount(3);
  expect(await stateOf(address)).toEqual({ granted_block: 1, revoked_block: null });
  expect(await fixture.sign()).toBeUndefined();
});

it('an account that is opened while its grant is read is granted', async () => {
  const account = await createSeedCustody({ seed: new Uint8Array(32).fill(9) }).address(3);
  let opened = false;
  const opening = await fixture.database.transaction(async (client) => {
    // As a transaction that reads the block of the grant.
    await lockCursor(client, fixture.chainId);
    await client.query(`insert into delegations (account, block_number, kind) values ($1, 0, 'grant')`, [
      Buffer.from(account.slice(2), 'hex'),
    ]);
    await deriveDelegations(client, [account]);
    const under = fixture.openAccount(3).then(() => {
      opened = true;
    });
    await eventually(async () => {
      const waits = await fixture.rows(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(opened || waits.length > 0).toBe(true);
    });
    return { under };
  });
  await opening.under;
  expect(await fixture.rows('select granted_block from accounts')).toEqual([{ granted_block: 0 }]);
});
