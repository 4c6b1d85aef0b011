/** A public event as a subscriber has it, whichever way it came. */
export type SeenEvent = {
  readonly id: string;
  /** `stamp.confirmed`. */
  readonly name: string;
  readonly subject: string;
  /** Which collection of which account it is counted in: the key of the public topic. */
  readonly key: string;
  readonly sequence: number;
  /** Where it came: the topic's partition; the same for all where there is one way only. */
  readonly way: number;
  readonly data: Readonly<Record<string, unknown>>;
};

export type ReceiptFields = {
  readonly transaction_hash: string;
  readonly user_address: string;
  readonly set_cid: string;
  readonly object_cid: string;
  readonly timestamp: string;
  readonly chain_id: number;
  readonly block_hash: string;
};

export const receiptIn = ({ data }: Pick<SeenEvent, 'data'>): ReceiptFields | undefined =>
  data.commitment_receipt as ReceiptFields | undefined;

/** A CloudEvent in JSON format, as the log, streams and webhooks have it. */
export type EventInJson = {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly sequence: string;
  readonly data: Record<string, unknown>;
};

/** @param account whose events are read */
export function seenEventOf({ id, type, subject, sequence, data }: EventInJson, account: string): SeenEvent {
  const address = account.toLowerCase();
  const { set_cid: set } = data;
  const key = typeof set === 'string' ? `${address}/${set}` : address;
  return { id, name: nameOfType(type), subject, key, sequence: Number(sequence), way: 0, data };
}

/** The name of a `ce_type`. */
export const nameOfType = (type: string): string => type.replace(/^com\.indelible\.|\.v\d+$/g, '');

/** In the order of their first coming, each once: what a subscriber keeps that drops ids that it has had. */
export function distinct(events: readonly SeenEvent[]): readonly SeenEvent[] {
  const byId = new Map<string, SeenEvent>();
  for (const event of events) if (!byId.has(event.id)) byId.set(event.id, event);
  return [...byId.values()];
}

/** What an event says happened, in words that what is recorded can be put in as well. */
export function factOf({ name, subject, data }: Pick<SeenEvent, 'name' | 'subject' | 'data'>): string {
  const file = data.file_object as { readonly file_path: string } | undefined;
  const of = receiptIn({ data })?.block_hash ?? file?.file_path ?? '';
  return `${name} ${subject} ${of}`.trim().toLowerCase();
}
