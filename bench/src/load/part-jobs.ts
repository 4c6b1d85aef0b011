import type { Hex } from '@indelible/identifiers';
import type { Quantiles } from '../measuring/quantiles.ts';
import type { StampedChain } from './stamp-jobs.ts';

/** Connections of which each sends the form of a stamp, to be answered 202, and the next when it has been answered. */
export type AcceptJob = {
  readonly kind: 'accept';
  readonly rootUrl: string;
  readonly apiKey: string;
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** Where everything accepted must stand in the end, exactly once; null where nothing stamps. */
  readonly chain: StampedChain | null;
};
export type AcceptOutcome = {
  /** All that were accepted; those of the measured seconds, by the second. */
  readonly accepted: number;
  readonly perSecond: number;
  readonly latencyMs: Quantiles;
};

/**
 * Looks lists of CIDs up, by POST /stamps/verify and by SQL in turns of some of each, the same CIDs with both: callers of
 * whom each asks its next list when the last was answered.
 */
export type LookUpJob = {
  readonly kind: 'look up';
  readonly rootUrl: string;
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly callers: number;
  readonly turns: number;
  /** Lists a turn, of each way. */
  readonly listsPerTurn: number;
  readonly cidsPerList: number;
  readonly knownPerList: number;
  /** Numbers of the seeded objects, of which lists are made. */
  readonly seeded: { readonly from: number; readonly count: number };
};
/** From sending to the answer as objects; milliseconds. */
export type LookUpOutcome = { readonly service: Quantiles; readonly sql: Quantiles };

/** Commits stamps of one user in sets that stand on the chain, and matches the logs of their blocks with them. */
export type CommitJob = {
  readonly kind: 'commit';
  /** By the functions of stamping and of the chain-indexer, or by ethers. */
  readonly by: 'services' | 'ethers';
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly contract: Hex;
  /** Of a lane whose operator the user granted. */
  readonly laneKey: Hex;
  readonly user: Hex;
  readonly setCids: readonly Hex[];
  readonly batches: number;
  readonly stampsPerBatch: number;
};
/** CPU of the whole process, user and system, from composing the first batch to the last match. */
export type CommitOutcome = { readonly stamps: number; readonly cpuMicroseconds: number; readonly seconds: number };
