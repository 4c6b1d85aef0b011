import type { QueryResultRow } from 'pg';
import type { Difference, Seen, Survey } from '../running/survey.ts';
import type { Reader } from './reader.ts';

type KeyColumn = { readonly column: string; readonly type: 'uuid' | 'text' | 'bytea' | 'bigint' | 'int' };

/** A row with the text of its key columns. */
export type Keyed<Row> = Row & { readonly key: readonly string[] };

export type TableSurvey<Row> = {
  readonly reader: Reader;
  readonly pageSize: number;
  readonly of: string;
  readonly table: string;
  /** A unique key with an index: pages follow it. */
  readonly keys: readonly KeyColumn[];
  /** Of the table's own columns, without an alias. */
  readonly where?: string;
  /** What is selected of `t`, the page, and of what is joined to it. */
  readonly columns: string;
  /** Joins that keep each row of `t` once. */
  readonly joins?: string;
  /** $1 and following, in `where`, `columns` and `joins`. */
  readonly parameters?: readonly unknown[];
  judge(rows: readonly Keyed<Row>[]): readonly Difference[] | Promise<readonly Difference[]>;
};

/**
 * Goes through a table by pages of its key. One statement reads a page and all that it is compared with, so both are of
 * one snapshot.
 */
export function surveyTable<Row extends object>(survey: TableSurvey<Row>): Survey {
  const { reader, keys, pageSize, parameters = [] } = survey;
  const columns = keys.map(({ column }) => column).join(', ');
  const first = parameters.length + 1;
  const where = survey.where === undefined ? 'true' : `(${survey.where})`;
  const statement = (condition: string, limit: string): string => `
    select array[${keys.map(({ column }) => `t.${column}::text`).join(', ')}] as key, ${survey.columns}
    from (select * from ${survey.table} where ${where} and ${condition} order by ${columns} ${limit}) t
    ${survey.joins ?? ''}
    order by ${keys.map(({ column }) => `t.${column}`).join(', ')}`;
  const place = keys.map(({ type }, i) => `$${first + i}::${type}`).join(', ');
  const lists = keys.map(({ type }, i) => `$${first + i}::${type}[]`).join(', ');
  const pages = {
    first: statement('true', `limit ${pageSize}`),
    next: statement(`(${columns}) > (${place})`, `limit ${pageSize}`),
    again: statement(`(${columns}) in (select * from unnest(${lists}))`, ''),
  };
  const read = (text: string, values: readonly unknown[]): Promise<Keyed<Row & QueryResultRow>[]> =>
    reader.query(text, [...parameters, ...values]);

  return {
    of: survey.of,
    async *all(): AsyncGenerator<Seen> {
      let after: readonly string[] | undefined;
      for (;;) {
        const rows = after === undefined ? await read(pages.first, []) : await read(pages.next, after);
        if (rows.length > 0) yield { looked: rows.length, differences: await survey.judge(rows) };
        after = rows.at(-1)?.key;
        if (after === undefined || rows.length < pageSize) return;
      }
    },
    async again(wanted) {
      const found: Difference[] = [];
      for (let at = 0; at < wanted.length; at += pageSize) {
        const places = wanted.slice(at, at + pageSize).map((key) => JSON.parse(key) as string[]);
        const rows = await read(
          pages.again,
          keys.map((_key, i) => places.map((one) => one[i])),
        );
        found.push(...(await survey.judge(rows)));
      }
      return found;
    },
  };
}

/** A row's key, as differences carry it. */
export const keyOf = (row: { readonly key: readonly string[] }): string => JSON.stringify(row.key);

/** A bytea column as lower-case hex after 0x. */
export const hex = (column: string): string => `'0x' || encode(${column}, 'hex')`;
