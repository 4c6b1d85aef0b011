import type { Reader } from '../readers/reader.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../running/survey.ts';

type Row = { readonly account: string; readonly is_known: boolean };

/** Accounts ↔ those that stamping may stamp for. Accounts younger than the grace are skipped. */
export const surveyAccounts = ({
  reader,
  pageSize,
  graceSeconds,
}: {
  reader: Reader;
  pageSize: number;
  graceSeconds: number;
}): Survey =>
  surveyTable<Row>({
    reader,
    pageSize,
    of: 'accounts',
    table: 'accounts.accounts',
    keys: [{ column: 'address', type: 'bytea' }],
    where: 'date_joined < clock_timestamp() - make_interval(secs => $1)',
    columns: `${hex('t.address')} as account, exists (select from stamping.accounts a where a.account = t.address) as is_known`,
    parameters: [graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) =>
        row.is_known
          ? []
          : [
              {
                key: keyOf(row),
                subject: `account ${row.account}`,
                what: 'stamping does not know it, and stamps nothing for it',
                remedy: 'is its consumer of events.accounts behind? Then indelible dead-letters replay events.accounts',
              },
            ],
      ),
  });
