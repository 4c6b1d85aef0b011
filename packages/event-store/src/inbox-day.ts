export const dayMs = 86_400_000;

/** Days are counted in UTC since 1970. */
export const dayOf = (time: number): number => Math.floor(time / dayMs);

/** The lowest UUID of version 7 of a day: ids begin with their time (RFC 9562). */
export function firstIdOf(day: number): string {
  const time = (day * dayMs).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

const name = /^inbox_(\d{4})(\d{2})(\d{2})$/;

/** The table of a day's messages. */
export const nameOf = (day: number): string =>
  `inbox_${new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;

/** The day of such a table; undefined of the other partitions. */
export function dayOfName(table: string): number | undefined {
  const parts = name.exec(table)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 0, date = 0] = parts;
  return dayOf(Date.UTC(year, month - 1, date));
}

/** Ids from here on have no time of this century: nearly all derive from a fact or a key (version 8). */
export const firstIdWithoutTime = firstIdOf(dayOf(Date.UTC(2100, 0, 1)));
