import { redactorOf } from './redactor.ts';

/** Secrets that any part of this process has read: its log and its commands' output never hold them (I10). */
const known = new Set<string>();
let redact = redactorOf(known);

export function keepSecret(secrets: Iterable<string>): void {
  const before = known.size;
  for (const secret of secrets) known.add(secret);
  if (known.size > before) redact = redactorOf(known);
}

/** The text without them, and without anything that looks like a secret. */
export const withoutSecrets = (text: string): string => redact(text);
