import type { IncomingMessage } from '@indelible/kafka';
import type { MessageContract } from '@indelible/messages';
import type { Client, Migration } from '@indelible/postgres';

/** Names of Postgres schemas: the one that answers, and the one in which it is rebuilt. */
export type Schemas = { readonly live: string; readonly shadow: string };

/** Rows of a live table that the shadow has no counterpart of. Parts of SQL, in which `l` is a row of the live table. */
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
  /** As people call it, such as `verification.commitments`; its gate, too. */
  readonly name: string;
  readonly schema: string;
  /** All of the schema's, in their order: the shadow's tables are made by them. */
  readonly migrations: readonly Migration[];
  /** Its tables, without partitions; they are swapped together. They refer to no other table. */
  readonly tables: readonly string[];
  /** The messages it is made of, in topics that keep them for as long as the rows made of them. */
  readonly contracts: readonly MessageContract[];
  /** Under which its messages stand in the inbox. */
  readonly consumer: string;
  /** Applies messages, each for the first time, in the order of their partitions. Names of tables are resolved by the session. */
  apply(client: Client, messages: readonly IncomingMessage[]): Promise<void>;
  /** Which rows a swap would lose: none but damaged ones should be, or the source has lost something. */
  vanishing(schemas: Schemas): Vanishing;
};

/** Why a rebuild was given up; the read model that answers is as it was. */
export class RebuildError extends Error {
  override readonly name = 'RebuildError';
  readonly retryable: boolean;

  constructor(message: string, options: ErrorOptions & { readonly retryable: boolean }) {
    super(message, options);
    this.retryable = options.retryable;
  }
}
