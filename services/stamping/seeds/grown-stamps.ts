import type { Hex } from '@indelible/identifiers';
import { maxSubmittedStamps } from '@indelible/messages';

/** Whose stamps are written, and in which blocks: below the chain's head, so that nothing but their number is unusual. */
export type GrownStamps = {
  readonly account: Hex;
  readonly chainId: number;
  /** The newest block; the stamps are spread over all of them in order. */
  readonly head: number;
  /** Numbers of the stamps, from 0: those before `from` stand there already. */
  readonly from: number;
  readonly to: number;
  /** When the first of them was asked for, in milliseconds; each next one a millisecond later. */
  readonly since: number;
};

const stampsPerBatch = 1_000;
/** A batch is announced in parts. */
const parts = Math.ceil(stampsPerBatch / maxSubmittedStamps);
/** A table of what is made of a number once, for all tables of all services: n, id, cid, b, hash, block_hash, block, seconds. */
export const grownFacts = 'bench_grown_stamps';

export type GrownStatements = {
  readonly prepare: readonly string[];
  /** Each group in its order, the longest first. */
  readonly write: readonly (readonly string[])[];
  readonly done: readonly string[];
};

/**
 * Statements that write confirmed and finalized stamps without a collection straight into stamping's tables, as it leaves them: stamps,
 * batches, transactions, events that are published, inboxes. CIDs are hashes of numbers, so that they lie as scattered as real ones, and
 * ids go by time. Kafka does not hold them: a rebuilt read model would lack them.
 */
export function grownStamps({ account, chainId, head, from, to, since }: GrownStamps): GrownStatements {
  const owner = `'\\x${account.slice(2).toLowerCase()}'::bytea`;
  const noSet = `decode(repeat('00', 32), 'hex')`;
  const lane = `substr(sha256('lane of grown stamps'), 1, 20)`;
  const hex = (bytes: string): string => `'0x' || encode(${bytes}, 'hex')`;
  /** Of version 7, as the services' own: in the order of numbers, a millisecond each. */
  const uuid = (what: string, n: string): string => {
    const random = `md5('${what}' || ${n})`;
    const time = `lpad(to_hex(${since}::bigint + ${n}), 12, '0')`;
    return `(${time} || '7' || substr(${random}, 1, 3) || '8' || substr(${random}, 4, 15))::uuid`;
  };
  const batch = `n / ${stampsPerBatch}`;
  const blockOf = (b: string): string =>
    `(1 + ${b}::bigint * ${Math.max(1, head - 1)} / ${Math.max(1, Math.ceil(to / stampsPerBatch))})`;
  // The same for every table; within what idempotent requests may ask for.
  const seconds = Math.floor(since / 1_000);
  const makeFacts = `create unlogged table ${grownFacts} as
    select n, ${uuid('stamp', 'n')} as id, sha256(('grown' || n)::bytea) as cid, ${batch} as b,
      sha256(('transaction' || ${batch})::bytea) as hash, sha256(('block' || ${blockOf(batch)})::bytea) as block_hash,
      ${blockOf(batch)} as block, ${seconds}::bigint as seconds
    from generate_series(${from}, ${to - 1}) as n`;
  // Events as what is published: below the first position, which the relay's cursor has passed.
  const place = (n: string, kind: 0 | 1 | 2 | 3): string => `4 * ${n}::bigint + ${kind} - 1000000000000`;
  const batches = `select b, ${uuid('batch', 'b')} as id, ${blockOf('b')} as block
    from generate_series(${Math.ceil(from / stampsPerBatch)}, ${Math.ceil(to / stampsPerBatch) - 1}) as b`;
  const receipt = `json_build_object('transactionHash', ${hex('hash')}, 'logIndex', n, 'blockNumber', block,
      'blockHash', ${hex('block_hash')}, 'blockTime', seconds, 'chainId', ${chainId}, 'account', '${account.toLowerCase()}',
      'setCid', ${hex(noSet)}, 'objectCid', ${hex('cid')})`;
  const requestedAt = `to_timestamp(seconds)`;
  const known = (id: string): string => `'requestId', ${id}, 'collectionName', null, 'clientRef', null`;
  const idsOfBatch = `(select ${uuid('stamp', 'n')}
      from generate_series(b * ${stampsPerBatch}, (b + 1) * ${stampsPerBatch} - 1) as n)`;
  const inbox = (schema: string, consumer: string, messages: string): string =>
    `insert into ${schema}.inbox (consumer, message_id)
     select '${consumer}', ${uuid(messages, 'n')} from generate_series(${from}, ${to - 1}) as n`;
  const write = [
    [
      `insert into stamping.batches (id, chain_id, lane, nonce, kind, status, gas_limit, block_number, block_hash,
         stamp_ids)
       select id, ${chainId}, ${lane}, b, 'commit', 'finalized', 3000000, block, sha256(('block' || block)::bytea),
         array${idsOfBatch}
       from (${batches}) as batch`,
      `insert into stamping.transactions (hash, batch_id, raw, fees)
       select sha256(('transaction' || b)::bytea), id, decode(repeat('5a', 32 * ${stampsPerBatch} + 300), 'hex'), '{}'
       from (${batches}) as batch`,
      `insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, request_id, requested_at,
         version, batch_id, batch_index, transaction_hash, log_index, block_number, block_hash, block_time)
       select id, ${owner}, ${noSet}, cid, 'confirmed', true, id, ${requestedAt}, 2, ${uuid('batch', 'b')},
         n % ${stampsPerBatch}, hash, n, block, block_hash, seconds
       from ${grownFacts}`,
      inbox('stamping', 'stamping.requests', 'command'),
    ],
    [
      `insert into stamping.events (position, stream, version, type, type_version, message_id, data)
       overriding system value
       select ${place('n', 0)}, 'stamp-' || id, 1, 'StampRequested', 2, ${uuid('requested', 'n')},
         json_build_object('stampId', id, 'account', '${account.toLowerCase()}', 'setCid', ${hex(noSet)},
           'objectCid', ${hex('cid')}, 'collectionName', null, 'content', null, 'replyTo', null,
           'requestedAt', ${requestedAt})
       from ${grownFacts}`,
    ],
    [
      `insert into stamping.events (position, stream, version, type, type_version, message_id, data)
       overriding system value
       select ${place('n', 1)}, 'stamp-' || id, 2, 'StampConfirmed', 3, ${uuid('confirmed', 'n')},
         json_build_object('stampId', id, 'receipt', ${receipt}, 'batchId', ${uuid('batch', 'b')}, ${known('id')},
           'content', null, 'replyTo', null)
       from ${grownFacts}`,
      `insert into stamping.events (position, stream, version, type, type_version, message_id, data)
       overriding system value
       select ${place('b', 2)}, 'batch-' || id, part, 'StampsSubmitted', 2, ${uuid('of batch', `(${parts + 1} * b + part)`)},
         json_build_object('batchId', id, 'chainId', ${chainId}, 'nonce', b,
           'lane', ${hex(lane)}, 'transactionHash', ${hex(`sha256(('transaction' || b)::bytea)`)},
           'submittedAt', now(), 'part', part, 'parts', ${parts}, 'stamps', (
             select json_agg(json_build_object('stampId', ${uuid('stamp', 'n')}, 'account', '${account.toLowerCase()}',
               'setCid', ${hex(noSet)}, 'objectCid', ${hex(`sha256(('grown' || n)::bytea)`)}, ${known(uuid('stamp', 'n'))}))
             from generate_series(b * ${stampsPerBatch} + (part - 1) * ${maxSubmittedStamps},
               least(b * ${stampsPerBatch} + part * ${maxSubmittedStamps}, (b + 1) * ${stampsPerBatch}) - 1) as n))
       from (${batches}) as batch, generate_series(1, ${parts}) as part`,
      `insert into stamping.events (position, stream, version, type, type_version, message_id, data)
       overriding system value
       select ${place('b', 3)}, 'batch-' || id, ${parts + 1}, 'StampsFinalized', 2, ${uuid('of batch', `(${parts + 1} * b + ${parts + 1})`)},
         json_build_object('batchId', id, 'chainId', ${chainId}, 'blockNumber', block,
           'blockHash', ${hex(`sha256(('block' || block)::bytea)`)}, 'stampIds', array${idsOfBatch})
       from (${batches}) as batch`,
    ],
  ];
  return {
    prepare: [`drop table if exists ${grownFacts}`, makeFacts, `analyze ${grownFacts}`],
    write,
    done: [`drop table ${grownFacts}`],
  };
}
