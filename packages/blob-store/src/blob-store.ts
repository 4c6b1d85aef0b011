import type { Readable } from 'node:stream';

/** What identifies content: its size in bytes and its CRC32C (Castagnoli, unsigned). */
export type ContentFacts = { readonly size: number; readonly crc32c: number };

/** Takes content as it arrives, one chunk at a time, each awaited. Nothing is visible of it before `finish`. */
export type StagedWriter = {
  /**
   * Resolves when the chunk is copied or sent: the caller may reuse its memory.
   * @throws BlobStoreUnavailableError, of this chunk or an earlier one; then only `abort` is left
   */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * When it resolves, the content survives a crash of the machine.
   * @throws StagedIdTakenError, BlobStoreUnavailableError; then only `abort` is left
   */
  finish(): Promise<ContentFacts>;
  /** Leaves nothing behind, before `finish` or after it; never rejects. */
  abort(): Promise<void>;
};

/**
 * `stored`: moved there now. `exists-same`: this very content is there already, as after a crash or for another
 * stamp. `exists-other`: the path holds something else, which stays.
 */
export type PromoteOutcome = 'stored' | 'exists-same' | 'exists-other';

export type StagedEntry = { readonly stagedId: string; readonly modifiedAt: Date };

/**
 * Content in two areas: staged, under its own id until its stamp's outcome is known, and stored, under a path forever.
 * A stored file is never overwritten (I7). Every operation may be repeated after a crash.
 */
export type BlobStore = {
  /**
   * @param stagedId a lower-case UUID that was not used before
   * @throws StagedIdTakenError (a driver may find that out only when the writer finishes), BlobStoreUnavailableError
   */
  stage(stagedId: string): Promise<StagedWriter>;
  /** Finished staged content, to be read to its end or destroyed; or undefined. */
  readStaged(stagedId: string): Promise<Readable | undefined>;
  /**
   * Moves finished staged content to its final path. After `stored` and `exists-same` nothing of it is staged, unless
   * it is kept for further paths.
   * @param path segments with `/` between them
   * @param options.keepStaged the content goes to several paths: it stays staged until it is discarded
   * @throws StagedContentMissingError when neither staged nor stored content matches `expected`
   * @throws InvalidBlobPathError, BlobStoreUnavailableError
   */
  promote(
    stagedId: string,
    path: string,
    expected: ContentFacts,
    options?: { readonly keepStaged?: boolean },
  ): Promise<PromoteOutcome>;
  /** Drops staged content, finished or not, if any. */
  discard(stagedId: string): Promise<void>;
  /** A stored file, its stream to be read to its end or destroyed; or undefined. */
  open(path: string): Promise<{ readonly stream: Readable; readonly size: number } | undefined>;
  /**
   * A page of what has been staged and not touched since `olderThan`, unfinished content too. A page may be short or
   * empty while there is a `next`.
   */
  listStaged(options: {
    readonly olderThan: Date;
    readonly limit: number;
    readonly after?: string;
  }): Promise<{ readonly items: readonly StagedEntry[]; readonly next?: string }>;
  /** Whether it can take content now. Never rejects. */
  check(): Promise<boolean>;
  /**
   * Resolves if its folder or bucket exists; never creates it: a missing one may have lost every file.
   * @throws BlobStoreUnavailableError
   */
  requirePlace(): Promise<void>;
};
