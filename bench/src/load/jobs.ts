import type { AcceptJob, AcceptOutcome, CommitJob, CommitOutcome, LookUpJob, LookUpOutcome } from './part-jobs.ts';
import type {
  ClosedLoopJob,
  ClosedLoopOutcome,
  EthersBatchesJob,
  EthersJob,
  EthersOutcome,
  OpenLoopJob,
  OpenLoopOutcome,
  StampBatchesJob,
} from './stamp-jobs.ts';

/** What the load's process is asked to do. Seconds count from the first byte to the end of the answer. */
export type Target = { readonly rootUrl: string; readonly apiKey: string };

/** Hashes content as it is made, with node's SHA3-256: what an upload is compared with. */
export type HashJob = { readonly kind: 'hash'; readonly seed: string; readonly size: number };
/** Sends content as the file of a form, made as it is sent. */
export type UploadJob = Target & {
  readonly kind: 'upload';
  readonly path: string;
  readonly seed: string;
  readonly size: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
};
/** Sends a list of objects to be verified, and counts what the answer says of them. */
export type VerifyJob = Target & {
  readonly kind: 'verify';
  readonly format: 'json' | 'csv' | 'csv file';
  readonly collectionName: string;
  /** Of the seeded objects, the first and how many. */
  readonly from: number;
  readonly objects: number;
};
/** Asks the part of verification that matches, by its internal protocol, in which set seeded objects are. */
export type MatchJob = {
  readonly kind: 'match';
  readonly url: string;
  /** Of the objects of the large set, the first and how many. */
  readonly from: number;
  readonly objects: number;
};
export type Job =
  | HashJob
  | UploadJob
  | VerifyJob
  | MatchJob
  | ClosedLoopJob
  | StampBatchesJob
  | EthersBatchesJob
  | OpenLoopJob
  | EthersJob
  | AcceptJob
  | LookUpJob
  | CommitJob;

export type HashOutcome = { readonly seconds: number; readonly cid: string };
export type UploadOutcome = {
  readonly seconds: number;
  readonly status: number;
  readonly location: string | null;
  readonly body: unknown;
};
export type VerifyOutcome = {
  readonly seconds: number;
  readonly status: number;
  /** The beginning of the answer, for a fault's report. */
  readonly beginning: string;
  readonly matchedReceipts: number;
  readonly unmatchedObjects: number;
  readonly unmatchedReceipts: number;
};
export type MatchOutcome = {
  readonly seconds: number;
  /** Until the answer's first byte. */
  readonly firstByteSeconds: number;
  readonly status: number;
  readonly matchedReceipts: number;
};
export type OutcomeOf<J extends Job> = J extends HashJob
  ? HashOutcome
  : J extends UploadJob
    ? UploadOutcome
    : J extends MatchJob
      ? MatchOutcome
      : J extends ClosedLoopJob | StampBatchesJob | EthersBatchesJob
        ? ClosedLoopOutcome
        : J extends OpenLoopJob
          ? OpenLoopOutcome
          : J extends EthersJob
            ? EthersOutcome
            : J extends AcceptJob
              ? AcceptOutcome
              : J extends LookUpJob
                ? LookUpOutcome
                : J extends CommitJob
                  ? CommitOutcome
                  : VerifyOutcome;

/** When the seconds begin and end that are measured, of a job that also warms up and looks things up. */
export type Mark = 'begin' | 'end';
