import { type TSchema, Type } from '@sinclair/typebox';

/** Forms of the REST API (services/gateway/openapi/indelible.yaml), so that subscribers can compare values. */
export const nullable = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
export const Uuid = (description: string) => Type.String({ pattern: uuidPattern, description });
const hashPattern = '^0x[0-9a-f]{64}$';
/** 32 bytes. */
export const Hash = (description: string) => Type.String({ pattern: hashPattern, description });
const addressPattern = '^0x[0-9a-fA-F]{40}$';
export const Address = (description: string) => Type.String({ pattern: addressPattern, description });
const timePattern = '^[0-9]{4,6}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\+00:00$';
export const Time = (description: string) => Type.String({ pattern: timePattern, description });
/** What documents call a string of each pattern. */
export const patternNames: Readonly<Record<string, string>> = {
  [uuidPattern]: 'UUID',
  [hashPattern]: '32 bytes in hex',
  [addressPattern]: 'address',
  [timePattern]: 'time',
};
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** What every event of a stamp says of it. */
export const stampFields = {
  stamp_id: Uuid('The stamp; `GET /api/v1/stamps/{stamp_id}` has its status'),
  request_id: nullable(Type.String({ pattern: uuidPattern }), 'The `X-Request-Id` of the HTTP request that made it'),
  user_address: Address("The owner's address with its EIP-55 checksum"),
  set_cid: Hash('The collection CID; 64 zeros without a collection'),
  object_cid: Hash('The CID (SHA3-256) of the stamped content'),
  collection_name: nullable(Type.String(), 'Null without a collection'),
  client_ref: nullable(Type.String(), "The caller's own reference, of a line of the batch input"),
};

export const CommitmentReceipt = (description: string) =>
  Type.Object(
    {
      transaction_hash: Hash('The transaction that records the stamp'),
      user_address: stampFields.user_address,
      set_cid: stampFields.set_cid,
      object_cid: stampFields.object_cid,
      timestamp: Time('The block time in UTC'),
      chain_id: Count('The chain it is on (EIP-155)'),
      block_number: Count('The block that has the transaction'),
      block_hash: Hash('The hash of that block'),
      log_index: Count('The place of its log in the block'),
      contract_address: Address('The contract that emitted the log, with its EIP-55 checksum'),
    },
    { description },
  );

export const ProblemFields = (description: string) =>
  Type.Object(
    { code: Type.String({ description: 'For machines' }), message: Type.String({ description: 'For people' }) },
    { description },
  );
