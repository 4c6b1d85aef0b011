import { faultOfText } from '@indelible/identifiers';
import { AccountRequestError } from '../account-request-error.ts';

/** `displayTimezone` is an IANA name, UTC when left out; `description` is empty when left out. */
export type NewAccount = {
  readonly name: string;
  readonly email: string;
  readonly description?: string;
  readonly displayTimezone?: string;
};

const most = { name: 200, email: 254, description: 2_000 } as const;
const emailShape = /^[^\s@]+@[^\s@]+$/u;

/**
 * Reads an account's profile: texts trimmed, lengths in UTF-16 units.
 * @throws AccountRequestError that names the first invalid field
 */
export function readProfile(request: NewAccount): Required<NewAccount> {
  const email = line('email', request.email, most.email);
  if (!emailShape.test(email)) throw invalid('email', 'must be an e-mail address');
  return {
    name: line('name', request.name, most.name),
    email,
    description: request.description === undefined ? '' : line('description', request.description, most.description),
    displayTimezone: timezone(request.displayTimezone ?? 'UTC'),
  };
}

/** A text of one line, as names of accounts and keys are. */
export function line(field: string, text: string, maxLength: number = most.name): string {
  const trimmed = text.trim();
  if (trimmed === '') throw invalid(field, 'must not be empty');
  if (trimmed.length > maxLength) throw invalid(field, `must be at most ${maxLength} characters`);
  const fault = faultOfText(trimmed);
  if (fault !== undefined) throw invalid(field, fault);
  return trimmed;
}

/** Names of the tz database, older ones among them. Intl takes offsets and any case, too, which other readers do not know. */
const timezoneShape = /^(?:[A-Z]{3,4}|[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z0-9_+-]*)+)$/;

function timezone(name: string): string {
  const refused = invalid('display timezone', 'must be an IANA name such as Europe/Zurich');
  if (!timezoneShape.test(name)) throw refused;
  const known = Intl.supportedValuesOf('timeZone');
  if (known.includes(name)) return name;
  if (known.some((other) => other.toLowerCase() === name.toLowerCase())) throw refused;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    throw refused;
  }
}

const invalid = (field: string, text: string): AccountRequestError =>
  new AccountRequestError('invalid', `${field} ${text}`);
