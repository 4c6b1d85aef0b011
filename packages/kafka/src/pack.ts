import { ColumnError, columnsContentType, type PackedItem, unpackColumns } from '@indelible/messages';
import { isMessageId } from './cloud-event.ts';
import { MessageInvalidError } from './errors.ts';

/**
 * The body of a record that holds several messages of one contract: a JSON array, an object per message: `id`, `time`,
 * `requestId`, `traceparent` and `data`. The headers are those of the first.
 */
export const packContentType = 'application/vnd.indelible.pack+json';

export const packOf = (items: readonly string[]): string => `[${items.join(',')}]`;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isOptionalText = (value: unknown): boolean => value === undefined || isText(value);

/** @throws MessageInvalidError if the body does not match its content type */
export function packedIn(body: unknown, contentType: string | undefined): readonly PackedItem[] {
  const items = contentType === columnsContentType ? inColumns(body) : body;
  if (!Array.isArray(items) || items.length === 0) throw new MessageInvalidError('The body is not a pack of messages');
  for (const item of items) {
    const { id, time, requestId, traceparent } = (item ?? {}) as Partial<Record<keyof PackedItem, unknown>>;
    if (!isMessageId(id) || !isText(time) || !isOptionalText(requestId) || !isOptionalText(traceparent))
      throw new MessageInvalidError('A message of the pack has no id or time');
  }
  return items as readonly PackedItem[];
}

function inColumns(body: unknown): readonly PackedItem[] {
  try {
    return unpackColumns(body);
  } catch (error) {
    if (!(error instanceof ColumnError)) throw error;
    throw new MessageInvalidError(`The body is not a pack of messages: ${error.message}`);
  }
}
