import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { foldName, type Hex } from '@indelible/identifiers';
import type { Database } from '@indelible/postgres';
import { projectCollections } from '../../src/projections/collections.ts';
import { chainId, hash, user } from './chain.ts';

/** An object submitted: the CID of some words and a second after the chain's start. */
export type Submitted = { readonly cid: Hex; readonly instant: number; readonly sent: string };

export const object = (words: string, second: number, sent = `sent for ${words} at ${second}`): Submitted => ({
  cid: hash(words),
  instant: 1_700_000_000 + second,
  sent,
});

export type Requested = {
  readonly caller?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly minBlock?: number;
  readonly unmatchedReceipts?: boolean;
  /** The name of the set. */
  readonly minCollection?: string;
};

export const objectLine = ({ cid, instant, sent }: Submitted): string =>
  `${JSON.stringify([cid.slice(2), instant, sent])}\n`;

export const lastLine = ({ name, owner, minBlock, minCollection, ...requested }: Requested = {}): string =>
  `${JSON.stringify({
    end: true,
    name: name ?? null,
    folded: name === undefined ? null : foldName(name),
    owner: owner === undefined ? null : user(owner),
    ...(minBlock === undefined ? {} : { minBlock: { chainId, number: minBlock } }),
    ...(minCollection === undefined ? {} : { minCollection: hash(minCollection) }),
    ...(requested.unmatchedReceipts === undefined ? {} : { unmatchedReceipts: requested.unmatchedReceipts }),
  })}\n`;

type PublicReceipt = {
  readonly transaction_hash: string;
  readonly user_address: string;
  readonly set_cid: string;
  readonly object_cid: string;
  readonly timestamp: string;
  readonly chain_id: number;
};
export type Collection = {
  readonly name: string | null;
  readonly cid: string | null;
  readonly user_address: string | null;
  readonly matched_receipts: readonly PublicReceipt[];
  readonly unmatched_objects: readonly { readonly cid: string; readonly timestamp: string }[];
  readonly unmatched_receipts: readonly PublicReceipt[];
};
export type Answer = {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly collections: readonly Collection[]; readonly error?: string; readonly details?: string };
};

const pathFor = (caller: string): string => `/internal/collections/verify?caller=${user(caller)}`;

/** Sends lines as one body. */
export async function send(port: number, body: string | ReadableStream<Uint8Array>, caller = 'alice'): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${pathFor(caller)}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-ndjson' },
    ...(typeof body === 'string' ? {} : { duplex: 'half' as const }),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as Answer['body'],
  };
}

export const verify = (port: number, objects: readonly Submitted[], requested: Requested = {}): Promise<Answer> =>
  send(port, objects.map(objectLine).join('') + lastLine(requested), requested.caller);

/** An upload that the test controls: to write on, to end, or to abort. */
export function openUpload(port: number, caller = 'alice') {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: pathFor(caller),
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {});
  request.on('error', () => {});
  return { request, answered };
}

/** Registers collections with the projection: their CID is that of their name, as in `commitment`. */
export async function register(
  database: Database,
  collections: readonly { owner: string; name: string; set?: string; isPublic?: boolean }[],
): Promise<void> {
  await projectCollections(
    database,
    collections.map(({ owner, name, set = name, isPublic = true }, i) => ({
      id: randomUUID(),
      data: {
        collectionId: i + 1,
        account: user(owner),
        cid: hash(set),
        name,
        description: null,
        isPinned: false,
        isPublic,
        registeredAt: '2026-01-01T00:00:00.000Z',
      },
    })),
  );
}
