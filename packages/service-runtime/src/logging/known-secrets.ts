import { redactorOf } from './redactor.ts';

/** Secrets that this process has read, whichever part of it: its log and what its commands print hold none of them (I10). */
const known = new Set<string>();
let redact = redactorOf(known);

export function keepSecret(secrets: Iterable<string>): void {
  const before = known.size;
  for (const secret of secrets) known.add(secret);
  if (known.size > before) redact = redactorOf(known);
}

/** The text without them, and without whatever has the shape of a secret. */
export const withoutSecrets = (text: string): string => redact(text);
