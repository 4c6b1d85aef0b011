import { zeroCid } from '@indelible/identifiers';

/** The distinct (CID, instant) pairs submitted, and how often each was. */
export const pairsQuery = `select cid, instant, count(*) as times from pg_temp.submitted group by cid, instant`;

/** As a literal, so that the planner knows it. */
export const zeroSet = `'\\x${zeroCid.slice(2)}'::bytea`;
