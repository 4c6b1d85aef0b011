import type { IncomingMessage } from '@indelible/kafka';
import type { MessageContract } from '@indelible/messages';
import type { Client, Migration } from '@indelible/postgres';

/** Postgres schemas: the one that serves queries, and the one for the rebuild. */
export type Schemas = { readonly live: string; readonly shadow: string };

/** Rows of a live table without a counterpart in the shadow. Parts of SQL, in which `l` is a row of the live table. */
export type Vanishing = {
  readonly table: string;
  readonly key: readonly string[];
  /** A query that `lost` may refer to as `bounds`, evaluated once. */
  readonly bounds?: string;
  /** The condition of a row that would be lost. */
  readonly lost: string;
};

/** A read model that can be rebuilt from its source. */
export type Projection = {
  /** Its name, such as `verification.commitments`; also of its gate. */
  readonly name: string;
  readonly schema: string;
  /** All of the schema's, in order: they create the shadow's tables. */
  readonly migrations: readonly Migration[];
  /** Its tables, without partitions; they are swapped together. They refer to no other table. */
  readonly tables: readonly string[];
  /** The messages it is built from, in topics that keep them as long as its rows. */
  readonly contracts: readonly MessageContract[];
  /** The consumer of its messages in the inbox. */
  readonly consumer: string;
  /** Applies new messages in the order of their partitions. The session resolves table names. */
  apply(client: Client, messages: readonly IncomingMessage[]): Promise<void>;
  /** Rows that a swap would lose: only damaged ones, unless the source has lost something. */
  vanishing(schemas: Schemas): Vanishing;
};

/** Why a rebuild was given up; the live read model is unchanged. */
export class RebuildError extends Error {
  override readonly name = 'RebuildError';
  readonly retryable: boolean;

  constructor(message: string, options: ErrorOptions & { readonly retryable: boolean }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}
