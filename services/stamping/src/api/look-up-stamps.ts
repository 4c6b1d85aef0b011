import type { Database } from '@indelible/postgres';
import { ofJson, type RouteHandler } from '@indelible/service-runtime';
import { type Static, Type } from '@sinclair/typebox';
import { Ajv } from 'ajv';
import { findStampFacts, maxIds } from '../statuses/find-stamp-facts.ts';

/** 1,000 ids take 39 KB. */
const bodyLimit = '64kb';

const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });
const Lookup = Type.Object(
  { ids: Type.Array(Uuid, { minItems: 1, maxItems: maxIds }) },
  { additionalProperties: false },
);

const isLookup = new Ajv().compile<Static<typeof Lookup>>(Lookup);

/** Of the chain that is stamped on. */
export type ChainQueries = { readonly database: Pick<Database, 'query'>; readonly chainId: number };

/** Outcomes of requests, by their ids. */
export const lookUpStampsRoute = ({ database, chainId }: ChainQueries): RouteHandler =>
  ofJson(bodyLimit, isLookup, async ({ ids }, response) => {
    const found = await findStampFacts(database, chainId, ids);
    response.json({ stamps: [...found].map(([requestedId, facts]) => ({ requestedId, ...facts })) });
  });
