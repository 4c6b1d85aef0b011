import { maxUploadReceipts } from '@indelible/messages';
import { ofJson, type RouteHandler } from '@indelible/service-runtime';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { findConfirmations } from '../receipts/confirmations-of-stamps.ts';
import { findStampsOfReceipts } from '../receipts/stamps-of-receipts.ts';
import type { ChainQueries } from './look-up-stamps.ts';

/** 500 places take 50 KB. */
const bodyLimit = '128kb';

const Hash = Type.Unsafe<`0x${string}`>({ type: 'string', pattern: '^0x[0-9a-f]{64}$' });
const Address = Type.Unsafe<`0x${string}`>({ type: 'string', pattern: '^0x[0-9a-f]{40}$' });
const Index = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const closed = { additionalProperties: false } as const;

const OfReceipts = Type.Object(
  {
    account: Address,
    setCid: Hash,
    objectCid: Hash,
    places: Type.Array(Type.Object({ transactionHash: Hash, logIndex: Index }, closed), {
      minItems: 1,
      maxItems: maxUploadReceipts,
    }),
  },
  closed,
);
const Confirmations = Type.Object({ stampIds: Type.Array(Uuid, { minItems: 1, maxItems: 500 }) }, closed);

const ajv = new Ajv();
const isOfReceipts = ajv.compile<Static<typeof OfReceipts>>(OfReceipts);
const isConfirmations = ajv.compile<Static<typeof Confirmations>>(Confirmations);

/** Finds the stamps of an upload's commitments. */
export const stampsOfReceiptsRoute = ({ database }: Pick<ChainQueries, 'database'>): RouteHandler =>
  ofJson(bodyLimit, isOfReceipts, async (query, response) =>
    response.json({ stamps: await findStampsOfReceipts(database, query) }),
  );

/** Which stamps without content are confirmed: storage gets no event for them. */
export const confirmationsRoute = ({ database, chainId }: ChainQueries): RouteHandler =>
  ofJson(bodyLimit, isConfirmations, async ({ stampIds }, response) =>
    response.json({ confirmations: await findConfirmations(database, chainId, stampIds) }),
  );
