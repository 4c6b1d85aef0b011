import { recordedEvents, type TestDatabase } from '@indelible/testing';
import type { SeenEvent } from './public-event.ts';

/** The part of a pool of connections that is needed here. */
type Pool = TestDatabase['pool'];

/** What happened to accounts, as the event stores of the services have it, in the words of `factOf`. */
export type Happened = {
  readonly accounts: ReadonlySet<string>;
  readonly facts: readonly string[];
  /** Paths of files that were not sent with their stamp. */
  readonly uploadedLater: ReadonlySet<string>;
  /** Whether a test published its message past the services, so that no event store has it. */
  readonly isForged: (event: SeenEvent) => boolean;
  /** Confirmed stamps whose block is not final yet. */
  readonly open: number;
};

type Row = { readonly type: string; readonly data: Record<string, unknown> };
type Receipt = { readonly account: string; readonly blockHash: string };

const told = [
  'StampsSubmitted',
  'StampConfirmed',
  'StampReverted',
  'StampsFinalized',
  'StampFailed',
  'CollectionCreated',
];

/** @param accounts whose events are wanted, in any letter case; of everybody when it is left out */
export async function whatHappened(pool: Pool, accounts?: readonly string[]): Promise<Happened> {
  const { rows: opened } = await pool.query<Row>(
    `select type, data from accounts.events where type = 'AccountOpened' order by position`,
  );
  const stamps = (await recordedEvents(pool, 'stamping')).filter(({ type }) => told.includes(type));
  const { rows: files } = await pool.query<Row>(
    `select type, data from storage.events where type in ('FileStored', 'FileFailed') order by position`,
  );
  const wanted = new Set((accounts ?? opened.map(({ data }) => String(data.account))).map((one) => one.toLowerCase()));
  const facts = createFacts(wanted);
  for (const row of [...opened, ...stamps, ...files]) facts.add(row);
  return {
    accounts: wanted,
    facts: facts.all,
    uploadedLater: facts.uploadedLater,
    isForged: ({ name, data }) => name === 'stamp.failed' && (data.error as { code?: string }).code === 'hostile',
    open: facts.open.size,
  };
}

/** Puts the events of the services in words. */
function createFacts(accounts: ReadonlySet<string>) {
  const all: string[] = [];
  const uploadedLater = new Set<string>();
  /** Stamps by the block that they are confirmed in, until it is final. */
  const open = new Map<string, string>();
  const submitted = new Set<string>();
  const ownStamps = new Set<string>();

  const note = (account: string, fact: string): boolean => {
    const isOwn = accounts.has(account);
    if (isOwn) all.push(fact.toLowerCase());
    return isOwn;
  };

  function add({ type, data }: Row): void {
    const { batchId, stampId, account } = data as Record<'batchId' | 'stampId' | 'account', string>;
    switch (type) {
      case 'AccountOpened':
        note(account, `account.opened ${account}`);
        return;
      case 'StampsSubmitted':
        for (const stamp of data.stamps as { stampId: string; account: string }[]) {
          const attempt = `${batchId} ${stamp.stampId}`;
          if (!submitted.has(attempt)) note(stamp.account, `stamp.submitted ${stamp.stampId}`);
          submitted.add(attempt);
        }
        return;
      case 'StampConfirmed': {
        const { account: owner, blockHash } = data.receipt as Receipt;
        if (!note(owner, `stamp.confirmed ${stampId} ${blockHash}`)) return;
        ownStamps.add(stampId);
        open.set(stampId, blockHash);
        return;
      }
      case 'StampReverted': {
        const { account: owner, blockHash } = data.formerReceipt as Receipt;
        open.delete(stampId);
        note(owner, `stamp.reverted ${stampId} ${blockHash}`);
        return;
      }
      case 'StampsFinalized':
        for (const id of data.stampIds as string[]) {
          if (ownStamps.has(id)) all.push(`stamp.finalized ${id} ${data.blockHash}`);
          if (open.get(id) === data.blockHash) open.delete(id);
        }
        return;
      case 'StampFailed':
        note(account, `stamp.failed ${stampId}`);
        return;
      case 'CollectionCreated':
        note(account, `collection.created ${data.cid}`);
        // In both versions.
        if (data.blockHash !== undefined) note(account, `collection.created ${data.cid}`);
        return;
      case 'FileStored':
        if (data.came === 'later') uploadedLater.add(String(data.filePath));
        note(account, `file.stored ${stampId} ${data.filePath}`);
        return;
      case 'FileFailed':
        note(account, `file.failed ${stampId}`);
        return;
    }
  }
  return { all, uploadedLater, open, add };
}
