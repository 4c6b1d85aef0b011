/** Rows of cells in columns as wide as their widest cell; the first row is the titles. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** To the second, in UTC; a dash for none. */
export const instantText = (instant: Date | null): string =>
  instant === null ? '–' : `${instant.toISOString().slice(0, 19)}Z`;
