import { newId } from '@indelible/identifiers';
import {
  groupIntoRecords,
  type MessageContract,
  packStream,
  type RecordLabel,
  recordBounds,
  toPackRow,
} from '@indelible/messages';
import { Ajv, type ValidateFunction } from 'ajv';
import type { NewEvent } from './new-event.ts';

/** A row to insert into `events`. */
export type NewRow = {
  readonly stream: string;
  readonly version: number;
  readonly contract: MessageContract;
  readonly messageId: string;
  /** In a shared row: the description of its record. */
  readonly data: object;
  readonly requestId: string | null;
  readonly traceparent: string | null;
  readonly record: Buffer | null;
};

/** An event to place in a row; `alone`: in its own. */
type Placed = NewEvent & {
  readonly id: string;
  readonly key: string;
  readonly label: RecordLabel | undefined;
  readonly alone?: true;
};

/**
 * The rows of events, in their order: those of pooled contracts share rows, a record each. An event that breaks its
 * schema gets its own row, where the relay finds it and holds it back alone (I12).
 * @param now ISO 8601: the time of events that share a row
 */
export function toRows(events: readonly NewEvent[], now: string): readonly NewRow[] {
  const groups = groupIntoRecords(events.map(placeOf), () => 0);
  return groups.flatMap(([first, ...others]) =>
    first.alone === true ? [ownRow(first)] : poolRows([first, ...others], now),
  );
}

function placeOf(event: NewEvent): Placed {
  const { contract, data, stream } = event;
  const id = event.id ?? newId();
  const { pooled } = contract;
  if (pooled === undefined || event.alone === true || !fits(contract, data))
    return { ...event, id, alone: true, ...orderOf(contract, data) };
  const label = contract.label?.(data as never);
  const isPooled =
    label === pooled.label && stream === `${pooled.prefix}${(data as Readonly<Record<string, unknown>>)[pooled.by]}`;
  return { ...event, id, key: contract.key(data as never), label, ...(isPooled ? {} : { alone: true as const }) };
}

/** The key of an event that may break its schema: without one, order does not matter. */
function orderOf(contract: MessageContract, data: object): Pick<Placed, 'key' | 'label'> {
  try {
    return { key: contract.key(data as never), label: undefined };
  } catch {
    return { key: '', label: undefined };
  }
}

const ownRow = ({ stream, version, contract, id, data, requestId, traceparent }: Placed): NewRow => ({
  ...{ stream, version, contract, messageId: id, data, record: null },
  ...{ requestId: requestId ?? null, traceparent: traceparent ?? null },
});

/** One row, or several when a record would be too large. */
function poolRows(events: readonly [Placed, ...Placed[]], now: string): readonly NewRow[] {
  const [{ contract, key, label, id }] = events;
  const { prefix = '', by = '' } = contract.pooled ?? {};
  const { data, record } = toPackRow(
    events.map(({ id, requestId, traceparent, data, stream, version }) => ({
      ...{ id, time: now, data, stream, version },
      ...(requestId === undefined ? {} : { requestId }),
      ...(traceparent === undefined ? {} : { traceparent }),
    })),
    { key, label: label ?? null, prefix, by },
  );
  if (record.length <= recordBounds.characters)
    return [
      {
        ...{ stream: packStream(id), version: 1, contract, messageId: id, data, record },
        ...{ requestId: null, traceparent: null },
      },
    ];
  if (events.length === 1) return [ownRow(events[0])];
  const half = Math.ceil(events.length / 2);
  return [events.slice(0, half), events.slice(half)].flatMap((part) => poolRows(part as unknown as [Placed], now));
}

const ajv = new Ajv({ allErrors: false });
const validators = new WeakMap<MessageContract, ValidateFunction>();

function fits(contract: MessageContract, data: object): boolean {
  const validate = validators.get(contract) ?? ajv.compile(contract.schema);
  validators.set(contract, validate);
  return validate(data);
}
