/**
 * Whether a value holds a text that no database can: U+0000, or a lone surrogate. Postgres would take both as `json`, and fail on every
 * later read; so would the databases of subscribers.
 */
export function holdsUnstorableText(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  for (const part of Object.values(value)) if (holdsUnstorableText(part)) return true;
  return false;
}
