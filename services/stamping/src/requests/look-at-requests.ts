import { cidOfCollectionName, foldName, type Hex, zeroCid } from '@indelible/identifiers';
import type { Refusal, RequestStamp } from '@indelible/messages';
import { arrayOf, type Client } from '@indelible/postgres';
import { refusalsOf, selectUnserviceable, type UnserviceableRow } from '../accounts/unserviceable-accounts.ts';
import { type IdentityState, identityKey } from '../decisions/decide-stamp.ts';
import { refuseText } from '../decisions/storable-text.ts';
import {
  type CollectionRow,
  type CollectionsInHand,
  collectionsInHand,
  selectCollections,
  type WantedCollection,
  wantedValues,
} from './collection-queries.ts';
import {
  type Identity,
  type IdentityRow,
  identityStates,
  identityTables,
  identityValues,
  loadIdentities,
} from './stamp-queries.ts';

/** The facts that decisions go by. */
export type LookAtRequests = {
  readonly unserviceable: ReadonlyMap<Hex, Refusal>;
  readonly collections: CollectionsInHand;
  /** By {@link identityKey}. */
  identitiesOf(identities: readonly Identity[]): Promise<ReadonlyMap<string, IdentityState>>;
};

/** Bytes as Postgres encodes them in JSON. */
type AsJson<Row> = { readonly [Column in keyof Row]: Row[Column] extends Buffer | null ? string | null : Row[Column] };

const rowsOf = (query: string): string => `(select json_agg(row_to_json(r)) from (${query}) as r)`;

/** Reads all facts for decisions on requests, in one statement. Locks stamps in flight of their identities. */
export async function lookAtRequests(
  client: Client,
  chainId: number,
  requests: readonly RequestStamp[],
): Promise<LookAtRequests> {
  const likely = requests.flatMap(likelyIdentity);
  const { rows } = await client.query<{
    unserviceable: readonly AsJson<UnserviceableRow>[] | null;
    collections: readonly AsJson<CollectionRow>[] | null;
    identities: readonly AsJson<IdentityRow>[] | null;
  }>({
    name: 'look-at-requests',
    text: `with ${identityTables('$5', '$6', '$7')}
           select ${rowsOf(selectUnserviceable('$1'))} as unserviceable,
             ${rowsOf(selectCollections('$2', '$3', '$4'))} as collections,
             ${rowsOf('select * from identities')} as identities`,
    values: [
      arrayOf.bytea([...new Set(requests.map(({ account }) => account))]),
      ...wantedValues(requests.flatMap(wantedCollections)),
      ...identityValues(likely),
    ],
  });
  const [row] = rows;
  const known = identityStates((row?.identities ?? []).map(withBytes<IdentityRow>), chainId);
  const lookedAt = new Set(likely.map(keyOf));
  return {
    unserviceable: refusalsOf((row?.unserviceable ?? []).map(withBytes<UnserviceableRow>)),
    collections: collectionsInHand((row?.collections ?? []).map(withBytes<CollectionRow>)),
    async identitiesOf(identities) {
      const others = identities.filter((one) => !lookedAt.has(keyOf(one)));
      return others.length === 0 ? known : new Map([...known, ...(await loadIdentities(client, chainId, others))]);
    },
  };
}

const keyOf = ({ account, setCid, objectCid }: Identity): string => identityKey(account, setCid, objectCid);

/**
 * An idempotent request's identity, unless its collection's name was registered in another spelling, with another CID.
 */
function likelyIdentity({ account, set, objectCid, idempotency }: RequestStamp): Identity[] {
  if (idempotency === null || refuseName({ set }) !== undefined) return [];
  return [{ account, setCid: likelySet(set), objectCid }];
}

const likelySet = (set: RequestStamp['set']): Hex => {
  if (set.kind === 'none') return zeroCid;
  return set.kind === 'registered' ? set.cid : cidOfCollectionName(set.name);
};

export const refuseName = ({ set }: Pick<RequestStamp, 'set'>): Refusal | undefined =>
  set.kind === 'named' ? refuseText('collection_name', set.name) : undefined;

function wantedCollections({ account, set }: RequestStamp): WantedCollection[] {
  if (set.kind === 'none' || refuseName({ set }) !== undefined) return [];
  if (set.kind === 'registered') return [{ account, cid: set.cid }];
  // The CID of the name as given, too: another collection of the account may have it.
  return [{ account, folded: foldName(set.name), cid: cidOfCollectionName(set.name) }];
}

const withBytes = <Row>(row: AsJson<Row>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      bytesColumns.has(column) && typeof value === 'string' ? Buffer.from(value.slice(2), 'hex') : value,
    ]),
  ) as Row;

const bytesColumns: ReadonlySet<string> = new Set([
  ...['account', 'cid', 'set_cid', 'object_cid', 'transaction_hash', 'block_hash'],
]);
