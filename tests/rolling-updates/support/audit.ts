import { commitmentServiceAbi } from '@indelible/commitment-contract';
import { eventually, recordedEvents, streamsWithGaps, type TestDatabase } from '@indelible/testing';
import { expect } from '@jest/globals';
import { Contract, type EventLog, JsonRpcProvider, ZeroHash } from 'ethers';
import type { Load } from './load.ts';
import { createConnection } from './requests.ts';

/** Where the answers to what clients were told are. */
export type Audited = {
  readonly rootUrl: string;
  readonly provisioned: { readonly apiKey: string; readonly contractAddress: string };
  readonly addresses: { readonly rpcUrl: string };
  readonly pool: TestDatabase['pool'];
};

const identityOf = (user: string, set: string, object: string): string => `${user}/${set}/${object}`.toLowerCase();

/** Each object is on the chain once, and each receipt names the transaction that it is in (I1, I2). */
export async function expectOnceOnChain(fleet: Audited, { cids, receipts }: Load): Promise<void> {
  const provider = new JsonRpcProvider(fleet.addresses.rpcUrl, undefined, { staticNetwork: true });
  try {
    const contract = new Contract(fleet.provisioned.contractAddress, commitmentServiceAbi, provider);
    const logs = await Promise.all(
      [contract.filters.AddSetObject!(), contract.filters.AddObject!()].map((filter) => contract.queryFilter(filter)),
    );
    const times = new Map<string, number>();
    const transactions = new Map<string, string>();
    for (const { args, transactionHash } of logs.flat() as EventLog[]) {
      const cid = String(args.objectCid);
      times.set(cid, (times.get(cid) ?? 0) + 1);
      // Without a collection the set is zero.
      transactions.set(identityOf(args.user, args.setCid ?? ZeroHash, cid), transactionHash);
    }
    expect(cids.filter((cid) => times.get(cid) !== 1)).toEqual([]);
    expect(
      receipts.filter(
        ({ user_address: user, set_cid: set, object_cid: object, transaction_hash: hash }) =>
          transactions.get(identityOf(user, set, object)) !== hash,
      ),
    ).toEqual([]);
  } finally {
    provider.destroy();
  }
}

/** What was accepted ends as confirmed (I6), and every stamp is known as confirmed to those who ask. */
export async function expectAllConfirmed(fleet: Audited, { accepted, cids }: Load): Promise<void> {
  const connection = createConnection(fleet.rootUrl, fleet.provisioned.apiKey);
  try {
    for (const path of accepted)
      await eventually(
        async () => {
          const { status, text } = await connection.send('GET', path);
          expect([status, (JSON.parse(text) as { status: string }).status]).toEqual([
            200,
            expect.stringMatching(/^(confirmed|finalized)$/),
          ]);
        },
        { timeoutMs: 30_000, intervalMs: 200 },
      );
  } finally {
    connection.close();
  }
  const { rows } = await fleet.pool.query<{ status: string; count: number }>(
    `select status, count(*)::int as count from stamping.stamps
     where object_cid = any($1) and status not in ('confirmed', 'finalized') group by status`,
    [cids.map((cid) => Buffer.from(cid.slice(2), 'hex'))],
  );
  expect(rows).toEqual([]);
}

/** No stream of events has a gap, and no file that was promised is missing. */
export async function expectWholeRecords(fleet: Audited, { filePaths }: Load): Promise<void> {
  for (const schema of ['stamping', 'storage'])
    expect(streamsWithGaps(await recordedEvents(fleet.pool, schema))).toEqual([]);
  const { rows } = await fleet.pool.query<{ file_path: string }>(
    `select file_path from storage.files where status = 'success' and file_path = any($1)`,
    [filePaths],
  );
  expect(rows.map((row) => row.file_path).toSorted()).toEqual(filePaths.toSorted());
}
