/**
 * Why a request has no response. The message is for the webhook's owner: it contains no address and nothing of this
 * machine.
 */
export type WebhookFault = {
  readonly fault: FaultKind;
  readonly message: string;
  readonly durationMs: number;
};

export type FaultKind = 'blocked-address' | 'unresolvable' | 'connection' | 'tls' | 'timeout' | 'too-long' | 'redirect';

/** Thrown where the fault's kind is known. */
export class RequestFault extends Error {
  override readonly name = 'RequestFault';
  readonly kind: FaultKind;
  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const maxMessageCharacters = 200;
/** For errors with it only in the message, between function and file names. */
const opensslReason = /:SSL routines:[^:]*:([^:]+):/;
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before the end of the response',
  EPIPE: 'connection closed before the end of the request',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
};

/** @param handshaking whether the connection was open and its TLS handshake not over */
export function faultOfError(error: unknown, handshaking: boolean): { fault: FaultKind; message: string } {
  if (error instanceof RequestFault) return { fault: error.kind, message: error.message };
  const { code = '', reason, message } = error as { code?: string; reason?: string; message: string };
  if (code === 'HPE_HEADER_OVERFLOW') return { fault: 'too-long', message: 'response headers too long' };
  if (code.startsWith('HPE_')) return { fault: 'connection', message: 'response is not valid HTTP/1.1' };
  // OpenSSL's reason may quote the certificate, which is the receiver's text.
  if (handshaking) {
    const text = reason ?? opensslReason.exec(message)?.[1] ?? message;
    return { fault: 'tls', message: startOf(printable(text)) };
  }
  return { fault: 'connection', message: reasons[code] ?? (code === '' ? 'connection failed' : code) };
}

/** Cut between two characters: a table cannot store half of one. */
const startOf = (text: string): string => text.slice(0, maxMessageCharacters).toWellFormed();

/** The text with a space for each control character: for logs and tables. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this replaces
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
