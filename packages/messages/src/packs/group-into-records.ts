import type { RecordLabel } from '../contract.ts';

export type Packable = {
  readonly contract: { readonly packed?: true; readonly topic: string };
  readonly key: string;
  readonly label?: RecordLabel | undefined;
  /** It is a record by itself, whatever its contract says. */
  readonly alone?: boolean | undefined;
};

/** Of a record. */
export const recordBounds = { messages: 500, characters: 256 * 1024 };

/**
 * Which messages share a record: those of one packed contract, key and label with none of this key, but of another contract or label, between
 * them, so that the order of each key stays.
 */
export function groupIntoRecords<Message extends Packable>(
  messages: readonly Message[],
  charactersOf: (message: Message) => number,
): readonly (readonly [Message, ...Message[]])[] {
  const records: [Message, ...Message[]][] = [];
  const open = new Map<string, { readonly record: [Message, ...Message[]]; characters: number }>();
  for (const message of messages) {
    const { contract, key, label } = message;
    const characters = charactersOf(message);
    const place = `${contract.topic} ${key}`;
    const last = open.get(place);
    if (
      contract.packed === true &&
      message.alone !== true &&
      last?.record[0].alone !== true &&
      last?.record[0].contract === contract &&
      last.record[0].label === label &&
      last.record.length < recordBounds.messages &&
      last.characters + characters <= recordBounds.characters
    ) {
      last.record.push(message);
      last.characters += characters;
      continue;
    }
    const record: [Message, ...Message[]] = [message];
    records.push(record);
    open.set(place, { record, characters });
  }
  return records;
}
