import type { Row } from '../scenario.ts';

/** A row of what is to be reached, and which measured rows show it; what to reach stands in those. */
export type Goal = {
  readonly what: string;
  readonly scenario: string;
  readonly shows: (row: Row) => boolean;
  /** Beyond what is to be reached. */
  readonly moonshot: string;
  /** Of many rows only the one with the highest value: a bound holds for each process. */
  readonly isOfHighest?: true;
};

const isBound = ({ reach }: Row): boolean => reach !== undefined && 'atMost' in reach;
const hasRatio = ({ reach }: Row): boolean => reach !== undefined && !('atMost' in reach);
const grows = (row: Row): boolean => row.unit === 'MB' && isBound(row);
const ofBaseline =
  (start: string) =>
  (row: Row): boolean =>
    hasRatio(row) && row.baseline?.what.startsWith(start) === true;
const tells = (start: string, end: string) => (row: Row) => row.what.startsWith(start) && row.what.endsWith(end);

export const goals: readonly Goal[] = [
  {
    what: 'confirmed single-CID stamps, closed loop',
    scenario: 'stamps-closed-loop',
    shows: ofBaseline('batching in memory'),
    moonshot: '0.7',
  },
  {
    what: 'confirmed single-CID stamps, closed loop',
    scenario: 'stamps-closed-loop',
    shows: ofBaseline('ethers'),
    moonshot: '10',
  },
  {
    what: 'confirmed stamps through the batch input',
    scenario: 'stamps-batch',
    shows: ofBaseline('ethers'),
    moonshot: '4',
  },
  { what: 'accept (command durable in Kafka)', scenario: 'accept', shows: hasRatio, moonshot: '0.8' },
  ...(['p50', 'p99'] as const).flatMap((quantile): Goal[] => [
    {
      what: 'answer after the block’s head arrived, open loop 1,000/s',
      scenario: 'stamps-open-loop',
      shows: tells('after the head', quantile),
      moonshot: quantile === 'p50' ? '20 ms' : '50 ms',
    },
    {
      what: 'time before submission, open loop 1,000/s',
      scenario: 'stamps-open-loop',
      shows: tells('before submission', quantile),
      moonshot: quantile === 'p50' ? '20 ms' : '50 ms',
    },
  ]),
  { what: 'gas per stamp', scenario: 'gas', shows: tells('500 objects in 10 sets', ''), moonshot: '0.10' },
  { what: 'gas per stamp', scenario: 'gas', shows: tells('500 objects of as many users', ''), moonshot: '0.36' },
  { what: 'stamping CPU per stamp', scenario: 'stamping-cpu', shows: hasRatio, moonshot: '0.033' },
  { what: 'indexer, logs into Postgres', scenario: 'indexer-catch-up', shows: hasRatio, moonshot: '0.6' },
  { what: '`POST /stamps/verify`, 1,000 CIDs among 2 M', scenario: 'verify-lookup', shows: hasRatio, moonshot: '1.0' },
  {
    what: '`POST /collections/verify`, 1 M rows against 2 M',
    scenario: 'verify-matching',
    shows: hasRatio,
    moonshot: '1.25',
  },
  {
    what: '`POST /collections/verify`, growth',
    scenario: 'verify-matching',
    shows: grows,
    moonshot: '32 MB',
    isOfHighest: true,
  },
  { what: '1 GiB upload', scenario: 'memory-upload', shows: hasRatio, moonshot: '0.6' },
  { what: '1 GiB upload, growth', scenario: 'memory-upload', shows: grows, moonshot: '48 MB', isOfHighest: true },
];
