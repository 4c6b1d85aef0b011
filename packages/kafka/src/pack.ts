import { isMessageId } from './cloud-event.ts';
import { MessageInvalidError } from './errors.ts';

/**
 * The body of a record that holds several messages of one contract: a JSON array, an object a message with its `id`, `time`,
 * `requestId`, `traceparent` and `data`. The headers are those of the first.
 */
export const packContentType = 'application/vnd.indelible.pack+json';

export const packOf = (items: readonly string[]): string => `[${items.join(',')}]`;

export type PackedItem = {
  readonly id: string;
  readonly time: string;
  readonly requestId?: string;
  readonly traceparent?: string;
  readonly data: unknown;
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);

/** @throws MessageInvalidError when the body is no pack */
export function packedIn(body: unknown): readonly PackedItem[] {
  if (!Array.isArray(body) || body.length === 0) throw new MessageInvalidError('The body is not a pack of messages');
  for (const item of body) {
    const { id, time, requestId, traceparent } = (item ?? {}) as Partial<Record<keyof PackedItem, unknown>>;
    if (!isMessageId(id) || !isText(time) || !isOptionalText(requestId) || !isOptionalText(traceparent))
      throw new MessageInvalidError('A message of the pack has no id or time');
  }
  return body as readonly PackedItem[];
}

type Packable = {
  readonly contract: { readonly packed?: true; readonly topic: string };
  readonly key: string;
  readonly json: string;
};

const bounds = { messages: 500, characters: 256 * 1024 };

/**
 * Which messages share a record: those of one packed contract and key with none of another contract and this key between
 * them, so that the order of each key stays.
 */
export function groupIntoRecords<Message extends Packable>(
  messages: readonly Message[],
): readonly (readonly [Message, ...Message[]])[] {
  const records: [Message, ...Message[]][] = [];
  const open = new Map<string, { readonly record: [Message, ...Message[]]; characters: number }>();
  for (const message of messages) {
    const { contract, key, json } = message;
    const place = `${contract.topic} ${key}`;
    const last = open.get(place);
    if (
      contract.packed === true &&
      last?.record[0].contract === contract &&
      last.record.length < bounds.messages &&
      last.characters + json.length <= bounds.characters
    ) {
      last.record.push(message);
      last.characters += json.length;
      continue;
    }
    const record: [Message, ...Message[]] = [message];
    records.push(record);
    open.set(place, { record, characters: json.length });
  }
  return records;
}
