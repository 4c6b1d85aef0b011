import { isRpcError } from '@indelible/ethereum';
import { withoutSecrets } from '@indelible/service-runtime';

const undefinedTable = '42P01';
const undefinedSchema = '3F000';
const insufficientPrivilege = '42501';

/** Faults of sockets other than the RPC client's; their message is empty if several addresses failed. */
const socketFaults: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

/** What went wrong, in one line for the user; without secrets (I10). */
export const describeError = (error: unknown): string => withoutSecrets(describe(error));

function describe(error: unknown): string {
  if (!(error instanceof Error)) return oneLine(String(error));
  if (isRpcError(error)) return oneLine(`the chain's node (RPC_URL): ${error.message}`);
  if (error.name.startsWith('KafkaJS')) return oneLine(`Kafka (KAFKA_BROKERS): ${error.message}`);
  const code = codeOf(error);
  if (code === undefinedTable || code === undefinedSchema)
    return 'the database has no tables yet: run `npm start` or `indelible migrate` first';
  if (code === insufficientPrivilege && error.message.startsWith('permission denied for'))
    return oneLine(`${error.message}: set DATABASE_URL to a role that may (a command that writes: the operator's)`);
  if (code !== undefined && socketFaults.has(code))
    return `Postgres${addressOf(error)} cannot be reached (${code}): check DATABASE_URL`;
  return oneLine(error.message || error.name);
}

/** Where the socket was to go, as far as the error says; of several addresses tried the first. */
function addressOf(error: Error): string {
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { address, hostname, port } = first as { address?: unknown; hostname?: unknown; port?: unknown };
  const host = address ?? hostname;
  if (typeof host !== 'string') return '';
  return ` at ${host}${typeof port === 'number' ? `:${port}` : ''}`;
}

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim();
