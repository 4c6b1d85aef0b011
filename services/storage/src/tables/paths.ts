import type { Hex } from '@indelible/identifiers';
import { arrayOf, type Client } from '@indelible/postgres';
import type { StoredPath } from '../decisions/stored-name.ts';

export type PathRequest = {
  readonly stampId: string;
  readonly objectCid: Hex;
  readonly candidates: readonly StoredPath[];
  /** The first candidate to try. */
  readonly from: number;
};
export type ReservedPath = StoredPath & { readonly attempt: number };

/**
 * Gives each file the first candidate path that is free or already holds the same content. This is final: a path is
 * reserved before anything is moved there. A file for which none is left is missing from the result.
 */
export async function reservePaths(
  client: Client,
  requests: readonly PathRequest[],
): Promise<Map<string, ReservedPath>> {
  const given = new Map<string, ReservedPath>();
  let waiting = requests.map((request) => ({ request, attempt: request.from }));
  while (waiting.length > 0) {
    const tried = waiting.flatMap(({ request, attempt }) => {
      const path = request.candidates[attempt];
      return path === undefined ? [] : [{ request, attempt, path }];
    });
    const owners = await claimPaths(
      client,
      tried.map(({ request, path }) => [path.filePath, request.objectCid]),
    );
    waiting = [];
    for (const { request, attempt, path } of tried)
      if (owners.get(path.filePath) === request.objectCid) given.set(request.stampId, { ...path, attempt });
      else waiting.push({ request, attempt: attempt + 1 });
  }
  return given;
}

/** Takes the free ones of these paths; answers whose content each is given to. Sorted, so that callers do not deadlock. */
async function claimPaths(
  client: Client,
  claims: readonly (readonly [path: string, objectCid: Hex])[],
): Promise<Map<string, Hex | null>> {
  const sorted = claims.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  await client.query({
    name: 'claim-paths',
    text: `insert into paths (file_path, object_cid) select * from unnest($1::text[], $2::bytea[])
           on conflict do nothing`,
    values: [arrayOf.text(sorted.map(([path]) => path)), arrayOf.bytea(sorted.map(([, objectCid]) => objectCid))],
  });
  const { rows } = await client.query<{ file_path: string; object_cid: Hex | null }>({
    name: 'read-paths',
    text: `select file_path, '0x' || encode(object_cid, 'hex') as object_cid from paths
           where file_path = any($1::text[])`,
    values: [arrayOf.text(sorted.map(([path]) => path))],
  });
  return new Map(rows.map((row) => [row.file_path, row.object_cid]));
}

/** The blob store has unknown content there: no file gets this path. */
export async function closePath(client: Client, filePath: string): Promise<void> {
  await client.query('update paths set object_cid = null where file_path = $1', [filePath]);
}
