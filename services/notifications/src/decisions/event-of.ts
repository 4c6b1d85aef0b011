import { checksumAddress, type Hex, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import {
  AccountOpened,
  CollectionCreated,
  CollectionCreatedV1,
  type EventData,
  eventIdOf,
  FileFailed,
  FileStored,
  type LoggedEvent,
  type PublicEventType,
  StampConfirmed,
  StampFailed,
  StampFinalized,
  StampReverted,
  StampSubmitted,
} from '@indelible/public-events';
import type { Collection, Envelope, Fact, FileFact, Stamp } from './facts.ts';

/** An event without a position: position and sequence depend on the events before. */
export type NewEvent = { readonly account: Hex; readonly event: Omit<LoggedEvent, 'sequence'> };

type Of<Kind extends Fact['kind']> = Extract<Fact, { readonly kind: Kind }>;

const newEvent = <Type extends PublicEventType>(
  type: Type,
  account: Hex,
  envelope: Envelope,
  /** The fact from which the id is derived. */
  fact: readonly string[],
  subject: string,
  data: EventData<Type>,
): NewEvent => ({
  account,
  event: {
    id: eventIdOf(type, ...fact),
    name: type.name,
    version: type.version,
    subject,
    time: envelope.time,
    ...(envelope.traceparent === undefined ? {} : { traceparent: envelope.traceparent }),
    data,
  },
});

const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1000);

const maxShown = 10_000;
const shown = new Map<Hex, Hex>();

/** A checksum costs a hash: cached for accounts that stamp a lot. */
function shownAddress(account: Hex): Hex {
  let address = shown.get(account);
  if (address === undefined) {
    address = checksumAddress(account);
    if (shown.size >= maxShown) shown.clear();
    shown.set(account, address);
  }
  return address;
}

const stampFields = (stamp: Stamp) => ({
  stamp_id: stamp.stampId,
  request_id: stamp.requestId,
  user_address: shownAddress(stamp.account),
  set_cid: stamp.setCid,
  object_cid: stamp.objectCid,
  collection_name: stamp.collectionName,
  client_ref: stamp.clientRef,
});

/** Writes facts as public events, for the contract at one address. */
export function createEventWriter(contract: Hex) {
  const contractAddress = checksumAddress(contract);

  const withReceipt = (stamp: Stamp, receipt: Receipt) => {
    const fields = stampFields(stamp);
    return {
      ...fields,
      commitment_receipt: {
        transaction_hash: receipt.transactionHash,
        user_address: fields.user_address,
        set_cid: fields.set_cid,
        object_cid: fields.object_cid,
        timestamp: receiptTime(receipt.blockTime),
        chain_id: receipt.chainId,
        block_number: receipt.blockNumber,
        block_hash: receipt.blockHash,
        log_index: receipt.logIndex,
        contract_address: contractAddress,
      },
    };
  };
  type ReceiptEvent = typeof StampConfirmed | typeof StampReverted;
  const receiptEvent = (type: ReceiptEvent, envelope: Envelope, stamp: Stamp, receipt: Receipt): NewEvent =>
    newEvent(
      type,
      stamp.account,
      envelope,
      [envelope.messageId, stamp.stampId],
      stamp.stampId,
      withReceipt(stamp, receipt),
    );

  return {
    confirmation: withReceipt,
    /** The same, whichever message reports it. */
    submitted: (envelope: Envelope, batchId: string, stamp: Stamp): NewEvent =>
      newEvent(StampSubmitted, stamp.account, envelope, [batchId, stamp.stampId], stamp.stampId, stampFields(stamp)),
    confirmed: (envelope: Envelope, stamp: Stamp, receipt: Receipt) =>
      receiptEvent(StampConfirmed, envelope, stamp, receipt),
    /** @param confirmed data of its `stamp.confirmed`, repeated by its finality */
    finalized: (envelope: Envelope, account: Hex, confirmed: EventData<typeof StampConfirmed>): NewEvent =>
      newEvent(
        StampFinalized,
        account,
        envelope,
        [envelope.messageId, confirmed.stamp_id],
        confirmed.stamp_id,
        confirmed,
      ),
    reverted: (envelope: Envelope, stamp: Stamp, receipt: Receipt) =>
      receiptEvent(StampReverted, envelope, stamp, receipt),
    failed: (fact: Of<'failed'>): NewEvent =>
      newEvent(StampFailed, fact.stamp.account, fact, [fact.messageId], fact.stamp.stampId, {
        ...stampFields(fact.stamp),
        error: { code: fact.refusal.code, message: fact.refusal.message },
      }),
    file: (fact: FileFact): NewEvent =>
      fact.kind === 'file-stored'
        ? newEvent(FileStored, fact.stamp.account, fact, [fact.messageId], fact.stamp.stampId, {
            ...stampFields(fact.stamp),
            file_object: { file_name: fact.fileName, file_path: fact.filePath },
          })
        : newEvent(FileFailed, fact.stamp.account, fact, [fact.messageId], fact.stamp.stampId, {
            ...stampFields(fact.stamp),
            error: { code: 'file-not-stored', message: fact.reason },
          }),
    /** One event per published version: side by side for as long as docs/events.md promises. */
    collectionCreated: (fact: Of<'collection-created'>, collection: Collection): readonly NewEvent[] => {
      const { account, setCid, place } = fact;
      const data = {
        user_address: checksumAddress(account),
        set_cid: setCid,
        collection_name: collection.name,
        description: collection.description,
        is_pinned: collection.isPinned,
        is_public: collection.isPublic,
        transaction_hash: fact.transactionHash,
        timestamp: receiptTime(fact.blockTime),
        chain_id: fact.chainId,
        block_number: fact.blockNumber,
        contract_address: contractAddress,
      };
      const former = newEvent(CollectionCreatedV1, account, fact, [fact.messageId], setCid, data);
      if (place === undefined) return [former];
      const whole = { ...data, block_hash: place.blockHash, log_index: place.logIndex };
      return [former, newEvent(CollectionCreated, account, fact, [fact.messageId], setCid, whole)];
    },
    accountOpened: (fact: Of<'account-opened'>): NewEvent =>
      newEvent(AccountOpened, fact.account, fact, [fact.messageId], checksumAddress(fact.account), {
        user_address: checksumAddress(fact.account),
        persistent_id: fact.persistentId,
        date_joined: receiptTime(secondsOf(fact.openedAt)),
      }),
  };
}
export type EventWriter = ReturnType<typeof createEventWriter>;
