import type { RecordLabel } from '../contract.ts';

export type Packable = {
  readonly contract: { readonly packed?: true; readonly topic: string };
  readonly key: string;
  readonly label?: RecordLabel | undefined;
  /** It has its own record, whatever its contract says. */
  readonly alone?: boolean | undefined;
};

/** Of a record. */
export const recordBounds = { messages: 500, characters: 256 * 1024 };

/**
 * Groups messages by record: those of one packed contract, key and label, unless one of the same key but another
 * contract or label is between them, so that the order of each key stays.
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
