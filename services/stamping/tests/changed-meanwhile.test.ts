import type { Client, Database } from '@indelible/postgres';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { handleChainFacts } from '../src/confirming/handle-chain-facts.ts';
import { stampRequest } from './support/messages.ts';
import { createFixture, type Fixture } from './support/stamping-fixture.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await createFixture();
});
afterEach(() => fixture.dispose());

/** A database in which something else happens once, right after the statement of this name. */
function interrupted(database: Database, name: string, act: () => Promise<unknown>): Database {
  let isDue = true;
  return {
    ...database,
    transaction: (work) =>
      database.transaction((client) =>
        work({
          query: async (...parameters: unknown[]) => {
            const result = await (client.query as (...all: unknown[]) => Promise<unknown>).apply(client, parameters);
            if (isDue && (parameters[0] as { name?: string }).name === name) {
              isDue = false;
              await act();
            }
            return result;
          },
        } as unknown as Client),
      ),
  };
}

it('a block whose stamps change between its reading and its writing is planned again by what is there then (I1, I5)', async () => {
  const account = await fixture.openAccount(0);
  await fixture.settle();
  const [changed, other] = [stampRequest(account), stampRequest(account)];
  await fixture.request(changed, other);
  await fixture.broadcast(await fixture.sign());
  await fixture.anvil.mine(1);
  const block = await fixture.blockMessage(Number(await fixture.anvil.request('eth_blockNumber', [])));
  const database = interrupted(fixture.database, 'read-block', () =>
    fixture.pool.query(`update stamping.stamps set status = 'failed' where id = $1`, [changed.requestId]),
  );
  const outcome = await handleChainFacts({ ...fixture.facts, database }, [block]);
  expect(outcome).toMatchObject({ confirmed: 1, unmatched: [expect.stringContaining('2 logs, 1 stamps')] });
  const confirmed = (await fixture.events('StampConfirmed')).map(({ data }) => data.stampId);
  expect(confirmed).toEqual([other.requestId]);
});
