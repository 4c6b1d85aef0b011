import type { Environment, Fault } from '../config.ts';

const prefix = 'INDELIBLE_';

/** Variables of docker-compose.yml and deploy/docker-compose.services.yml, which a service may inherit. */
const composeNames: ReadonlySet<string> = new Set([
  'INDELIBLE_ANVIL_PORT',
  'INDELIBLE_BLOCK_TIME',
  'INDELIBLE_CHAIN_ID',
  'INDELIBLE_CHAIN_INDEXER_DATABASE_PASSWORD',
  'INDELIBLE_DATABASE_PASSWORD',
  'INDELIBLE_GATEWAY_DATABASE_PASSWORD',
  'INDELIBLE_HTTP_ADDRESS',
  'INDELIBLE_IMAGE',
  'INDELIBLE_INTERNAL_TOKEN',
  'INDELIBLE_KAFKA_PORT',
  'INDELIBLE_LANES',
  'INDELIBLE_LANE_SECRETS',
  'INDELIBLE_LOG_LEVEL',
  'INDELIBLE_NOTIFICATIONS_DATABASE_PASSWORD',
  'INDELIBLE_OPERATOR_DATABASE_PASSWORD',
  'INDELIBLE_POSTGRES_PORT',
  'INDELIBLE_PUBLIC_URL',
  'INDELIBLE_READER_DATABASE_PASSWORD',
  'INDELIBLE_REDIS_PASSWORD',
  'INDELIBLE_REDIS_PORT',
  'INDELIBLE_REGISTRY_PASSWORD',
  'INDELIBLE_REGISTRY_PORT',
  'INDELIBLE_RPC_URL',
  'INDELIBLE_SECRETS',
  'INDELIBLE_STAMPING_DATABASE_PASSWORD',
  'INDELIBLE_STORAGE_DATABASE_PASSWORD',
  'INDELIBLE_TMP_SIZE',
  'INDELIBLE_VERIFICATION_DATABASE_PASSWORD',
  'INDELIBLE_WEBHOOK_SEALING_KEYS',
]);

/** Kubernetes describes each Service to the pods beside it: one called `indelible-gateway` gives INDELIBLE_GATEWAY_PORT and others. */
const ofKubernetes = /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;
const linkedAddress = /^(?:tcp|udp|sctp):\/\//;

/** Unknown names that begin with INDELIBLE_: most likely typing errors. */
export function unknownNames(environment: Environment, known: readonly string[]): Fault[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(prefix) || value === undefined) return [];
    if (composeNames.has(name) || ofKubernetes.test(name) || linkedAddress.test(value)) return [];
    const nearest = nearestOf(name, [...known, ...composeNames]);
    return [{ name, text: `is not known${nearest === undefined ? '' : `; is ${nearest} meant?`}` }];
  });
}

/** The closest known name, with or without the prefix; undefined if none is similar. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const bare = name.slice(prefix.length);
  let nearest: { readonly name: string; readonly changes: number } | undefined;
  for (const candidate of known) {
    const changes = Math.min(distance(candidate, name), distance(candidate, bare));
    if (changes <= Math.max(2, bare.length / 3) && changes < (nearest?.changes ?? Number.POSITIVE_INFINITY))
      nearest = { name: candidate, changes };
  }
  return nearest?.name;
}

/** Letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
