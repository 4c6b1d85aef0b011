import { Agent } from 'node:https';
import { type MessageContract, subjectOf } from '@indelible/messages';
import type { RegistryAccess } from '@indelible/service-runtime';
import { COMPATIBILITY, SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { contractId } from './codec.ts';
import { BrokerUnavailableError, MessageInvalidError } from './errors.ts';
import { withinTime } from './until-ready.ts';

export type RegistryOptions = {
  readonly url: string;
  readonly clientId: string;
} & RegistryAccess;

/** A schema for readers outside of this service. */
export type PublicSubject = { readonly subject: string; readonly schema: object };

const requestTimeoutMs = 10_000;

const documentOf = (contract: MessageContract) => ({
  type: SchemaType.JSON as const,
  schema: JSON.stringify(contract.schema),
});

const publicDocumentOf = ({ schema }: PublicSubject) => ({
  type: SchemaType.JSON as const,
  schema: JSON.stringify(schema),
});

/** The schema registry, by Confluent's API. */
export const createRegistry = (options: RegistryOptions) => {
  const registry = new SchemaRegistry({
    host: options.url,
    clientId: options.clientId,
    retry: { retries: 0 },
    ...(options.auth && { auth: options.auth }),
    ...(options.ca !== undefined && { agent: new Agent({ ca: options.ca, keepAlive: true }) }),
  });

  const guarded = async <Result>(what: string, work: Promise<Result>): Promise<Result> => {
    try {
      return await withinTime(requestTimeoutMs, what, work);
    } catch (error) {
      if (error instanceof BrokerUnavailableError) throw error;
      if (isIncompatible(error))
        throw new MessageInvalidError(`${what} is refused: it is not compatible`, { cause: error });
      throw new BrokerUnavailableError(`${what} failed`, { cause: error });
    }
  };

  type Document = Parameters<typeof registry.getRegistryIdBySchema>[1];
  const holds = (subject: string, document: Document): Promise<boolean> =>
    guarded(
      `Looking up ${subject}`,
      registry.getRegistryIdBySchema(subject, document).then(
        () => true,
        (error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        },
      ),
    );

  return {
    /** Whether this very schema is registered under its subject. */
    holds: (contract: MessageContract): Promise<boolean> => holds(subjectOf(contract), documentOf(contract)),
    holdsPublic: (subject: PublicSubject): Promise<boolean> => holds(subject.subject, publicDocumentOf(subject)),
    /** Registers the schema under its subject with compatibility BACKWARD; no effect if it exists. */
    register: (contract: MessageContract): Promise<unknown> => {
      const subject = subjectOf(contract);
      return guarded(
        `Registering ${subject}`,
        registry.register(documentOf(contract), { subject, compatibility: COMPATIBILITY.BACKWARD }),
      );
    },
    /** Registers a schema that old and new readers and writers share forever: compatibility FULL_TRANSITIVE. */
    registerPublic: (of: PublicSubject): Promise<unknown> =>
      guarded(
        `Registering ${of.subject}`,
        registry.register(publicDocumentOf(of), {
          subject: of.subject,
          compatibility: COMPATIBILITY.FULL_TRANSITIVE,
        }),
      ),
    /**
     * The id of each contract's own schema, by contractId. It is looked up by content: the latest of a subject may be
     * that of a newer release.
     * @throws BrokerUnavailableError also when a schema is not (yet) registered.
     */
    async idsOf(contracts: readonly MessageContract[]): Promise<Map<string, number>> {
      const ids = new Map<string, number>();
      for (const contract of contracts) {
        const subject = subjectOf(contract);
        const lookup = registry.getRegistryIdBySchema(subject, documentOf(contract));
        ids.set(contractId(contract), await guarded(`Looking up ${subject}`, lookup));
      }
      return ids;
    },
  };
};

/** The library uses this class only for a 404 of a look-up. */
const isNotFound = (error: unknown): boolean => error instanceof Error && error.name === 'ConfluentSchemaRegistryError';

/**
 * A schema that the registry's rule refuses: no later attempt can succeed. Apicurio also responds 409 when another
 * process sets a new subject's rule at the same time: the next attempt succeeds.
 */
const isIncompatible = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('status' in error)) return false;
  return (error.status === 409 && !error.message.includes('already exists')) || error.status === 422;
};

export type Registry = ReturnType<typeof createRegistry>;
