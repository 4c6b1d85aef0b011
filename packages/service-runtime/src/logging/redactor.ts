const redacted = '[redacted]';

/** A shorter one could be an ordinary word. */
const shortestSecret = 8;

/**
 * Patterns of secrets of any origin: our API keys and webhook secrets, tokens, credentials in URLs, signed URLs,
 * private keys. Each has a distinct prefix and is bounded, so that the time is linear in the text.
 */
const shapes: readonly RegExp[] = [
  /(\bind_)[0-9A-Za-z]{36}/,
  /(\bwhsec_)[\w+/=%-]{16,200}/,
  /(\b(?:[Bb]earer|[Bb]asic) )[\w.~+/=%-]{16,4096}/,
  /(:\/\/[^\s/?#"'@:]{0,200}:)[^\s/?#"'@]{1,500}(?=@)/,
  /([?&](?:[\w-]{0,40}[Ss]ignature|[\w-]{0,40}[Tt]oken|[\w-]{0,40}[Kk]ey|[\w-]{0,40}[Pp]assword|[\w-]{0,40}[Ss]ecret|sig)=)[^\s&"'#]{1,4096}/,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^"]{1,16384}/,
  /(\beyJ)[\w-]{8,2000}\.[\w-]{8,2000}\.[\w-]{8,2000}/,
];
const anyShape = new RegExp(shapes.map(({ source }) => source).join('|'), 'g');

/**
 * Replaces these secrets, in every form that libraries write into URLs, headers and JSON, and anything that looks like
 * a secret. Accepts plain text and lines of JSON, which stay valid.
 */
export function redactorOf(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set([...secrets].filter(({ length }) => length >= shortestSecret).flatMap(formsOf));
  if (forms.size === 0) return withoutShapes;
  // longest first: one may begin with another
  const sources = [...forms].toSorted((one, other) => other.length - one.length).map(escaped);
  const known = new RegExp(sources.join('|'), 'g');
  return (text) => withoutShapes(text.replace(known, redacted));
}

const withoutShapes = (text: string): string =>
  text.replace(anyShape, (_match, ...groups: unknown[]) => {
    const kept = groups.slice(0, shapes.length).find((group) => group !== undefined);
    return `${kept as string}${redacted}`;
  });

/** As it is, percent-encoded by each of the usual rules, and each of these in JSON. */
function formsOf(secret: string): string[] {
  const plain = decoded(secret);
  const url = new URL('postgres://host');
  url.password = plain;
  const encoded = [encodeURIComponent(plain), url.password, new URLSearchParams([['', plain]]).toString().slice(1)];
  const lower = encoded.map((text) => text.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()));
  const forms = [secret, plain, ...encoded, ...lower];
  return [...forms, ...forms.map((text) => JSON.stringify(text).slice(1, -1))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
