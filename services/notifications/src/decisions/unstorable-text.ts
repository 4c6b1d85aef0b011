/**
 * Whether a value holds text that no database can: U+0000, or a lone surrogate. Postgres would accept both as `json`,
 * and fail on every later read; so would subscribers' databases.
 */
export function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  for (const part of Object.values(value)) if (holdsUnstorableText(part)) return true;
  return false;
}
