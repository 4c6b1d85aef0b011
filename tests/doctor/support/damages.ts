import type { CheckName } from '@indelible/cli/doctor';

/** A damage to tables, and the doctor's finding. */
export type Damage = {
  readonly name: string;
  /** Restored afterwards. */
  readonly tables: readonly string[];
  readonly sql: string;
  readonly check: CheckName;
  readonly what: RegExp;
  readonly remedy: RegExp;
};

/** Every kind of finding, in the order of the checks. Longer than other files, since it is a table. */
export const damages: readonly Damage[] = [
  {
    name: 'a commitment is missing from the read model (I8, I9)',
    tables: ['verification.commitments'],
    sql: `delete from verification.commitments where (block_number, log_index) =
            (select block_number, log_index from verification.commitments order by 1, 2 offset 2 limit 1)`,
    check: 'commitments',
    what: /is on the chain, and not in verification\.commitments/,
    remedy: /rebuild verification\.commitments/,
  },
  {
    name: 'the read model has a commitment that is none (I1)',
    tables: ['verification.commitments'],
    sql: `insert into verification.commitments select object_cid, user_address, chain_id, block_number, 4000, set_cid,
            block_time, transaction_hash, block_hash from verification.commitments limit 1`,
    check: 'commitments',
    what: /is in verification\.commitments, and not on the chain/,
    remedy: /rebuild verification\.commitments/,
  },
  {
    name: 'a commitment has another time and set in the read model',
    tables: ['verification.commitments'],
    sql: `update verification.commitments set block_time = block_time + 1, set_cid = object_cid where (block_number, log_index) =
            (select max(block_number), 0 from verification.commitments)`,
    check: 'commitments',
    what: /block time, set in verification\.commitments are not what the chain says/,
    remedy: /rebuild verification\.commitments/,
  },
  {
    name: 'a receipt names another block (I1)',
    tables: ['stamping.stamps'],
    sql: `update stamping.stamps set block_hash = transaction_hash where id = (select max(id::text)::uuid from stamping.stamps)`,
    check: 'stamps',
    what: /block hash of its receipt differs from the chain/,
    remedy: /take its receipt back/,
  },
  {
    name: 'a receipt names a log that is no commitment (I1)',
    tables: ['stamping.stamps'],
    sql: `update stamping.stamps set log_index = 999 where id = (select max(id::text)::uuid from stamping.stamps)`,
    check: 'stamps',
    what: /its receipt names log 999 of 0x[0-9a-f]{64}, which is no commitment/,
    remedy: /take its receipt back/,
  },
  {
    name: 'a commitment of our transaction is no stamp (I2)',
    tables: ['stamping.stamps'],
    sql: `delete from stamping.stamps where id = (select max(id::text)::uuid from stamping.stamps)`,
    check: 'stamps',
    what: /its commitment of 0x[0-9a-f]{64} \(log \d+\) is no stamp/,
    remedy: /each object of a transaction must be one stamp/,
  },
  {
    name: 'a stamp has a receipt while its batch is not in a block (I1)',
    tables: ['stamping.batches'],
    sql: `update stamping.batches set status = 'reverted' where id =
            (select batch_id from stamping.stamps order by id limit 1)`,
    check: 'stamps',
    what: /is confirmed, and its batch is reverted/,
    remedy: /put its row right/,
  },
  {
    name: 'a stamp does not come to an end (I6)',
    tables: ['stamping.stamps', 'stamping.waiting_stamps'],
    sql: `with asked as (
            insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, requested_at, version)
            select gen_random_uuid(), account, set_cid, sha256('x'), 'requested', true, now() - interval '2 hours', 1
            from stamping.stamps limit 1 returning account, seq, id)
          insert into stamping.waiting_stamps (account, seq, stamp_id) select account, seq, id from asked`,
    check: 'stamps',
    what: /is requested, 7\d\d\d s after the request/,
    remedy: /does stamping run/,
  },
  {
    name: 'a stamp neither waits nor is in a batch (I6)',
    tables: ['stamping.stamps'],
    sql: `insert into stamping.stamps (id, account, set_cid, object_cid, status, exclusive, requested_at, version)
          select gen_random_uuid(), account, set_cid, sha256('x'), 'requested', true, now(), 1
          from stamping.stamps limit 1`,
    check: 'stamps',
    what: /does not wait for a batch, and is in none/,
    remedy: /let it wait for a batch/,
  },
  {
    name: 'a nonce of a lane is stored nowhere (I3)',
    tables: ['stamping.batches'],
    sql: `update stamping.batches b set nonce = nonce + 5 where nonce = (select max(nonce) from stamping.batches where lane = b.lane)`,
    check: 'lanes',
    what: /nothing is stored for \d+/,
    remedy: /restore the missing batch/,
  },
  {
    name: 'a lane goes on below what it has used (I3)',
    tables: ['stamping.lanes'],
    sql: 'update stamping.lanes set next_nonce = 1',
    check: 'lanes',
    what: /has sent \d+ transactions, only those below nonce 1 are stored/,
    remedy: /its key is used elsewhere/,
  },
  {
    name: 'a batch has lost its transaction (I3)',
    tables: ['stamping.transactions'],
    sql: 'delete from stamping.transactions where batch_id = (select id from stamping.batches order by nonce desc limit 1)',
    check: 'lanes',
    what: /has no transaction/,
    remedy: /restore stamping\.transactions/,
  },
  {
    name: 'an included batch counts as waiting (I6)',
    tables: ['stamping.batches'],
    sql: `update stamping.batches set status = 'signed', signed_at = now() - interval '1 hour'
          where id = (select batch_id from stamping.stamps order by id limit 1)`,
    check: 'lanes',
    what: /is in block \d+, and counts as signed/,
    remedy: /see the check chain/,
  },
  {
    name: 'a header is missing',
    tables: ['chain.blocks'],
    sql: 'delete from chain.blocks where number = (select number - 2 from chain.cursor)',
    check: 'chain',
    what: /the header of block \d+ is missing/,
    remedy: /write it into chain\.blocks/,
  },
  {
    name: 'a header is of another chain',
    tables: ['chain.blocks'],
    sql: 'update chain.blocks set hash = parent_hash where number = (select number - 2 from chain.cursor)',
    check: 'chain',
    what: /header 0x[0-9a-f]{64} is kept, canonical is 0x[0-9a-f]{64}/,
    remedy: /the chain-indexer follows/,
  },
  {
    name: 'a cursor is ahead of the chain',
    tables: ['verification.cursors'],
    sql: 'update verification.cursors set number = number + 1000',
    check: 'chain',
    what: /the chain does not reach that far/,
    remedy: /see the log of verification/,
  },
  {
    name: 'a reader of the chain stands',
    tables: ['stamping.chain_cursor'],
    sql: `update stamping.chain_cursor c set number = b.number, hash = b.hash
          from (select * from chain.blocks order by number desc offset 3 limit 1) b`,
    check: 'chain',
    what: /it is at block \d+, though the next one is \d+ s old/,
    remedy: /does stamping run/,
  },
  {
    name: 'the last event of a stamp is missing',
    tables: ['stamping.events'],
    // Of a stamp that no reorg has reverted: it has one confirmation, and this is its last event.
    sql: `delete from stamping.events where (stream, version) =
            (select stream, version from stamping.events e where type = 'StampConfirmed' and version = 2
             and not exists (select from stamping.events later where later.stream = e.stream and later.version > 2) limit 1)`,
    check: 'events',
    what: /is at version 2, its events end with 1/,
    remedy: /restore the missing event/,
  },
  {
    name: 'a row with the confirmations of stamps is missing',
    tables: ['stamping.events'],
    sql: `delete from stamping.events where position = (
            select max(position) from stamping.events where type = 'StampConfirmed' and record is not null)`,
    check: 'events',
    what: /is at version 2, its events end with 1/,
    remedy: /restore the missing event/,
  },
  {
    name: 'a row with the first events of stamps is missing',
    tables: ['stamping.events'],
    sql: `delete from stamping.events where position = (
            select max(position) from stamping.events where type = 'StampRequested' and record is not null)`,
    check: 'events',
    what: /the event of version 1 is missing/,
    remedy: /backup of stamping\.events/,
  },
  {
    name: 'stamps whose events share rows are no longer what these say (I4)',
    tables: ['stamping.stamps'],
    sql: `update stamping.stamps set object_cid = set_cid where content is null`,
    check: 'events',
    what: /its receipt and its StampConfirmed event differ in objectCid/,
    remedy: /the check stamps says/,
  },
  {
    name: 'stamps whose events share rows are gone (I6)',
    tables: ['stamping.stamps'],
    sql: `delete from stamping.stamps where content is null`,
    check: 'events',
    what: /its StampRequested names a stamp that is not in stamping\.stamps/,
    remedy: /restore the row from a backup/,
  },
  {
    name: 'an event is stored twice, in a shared row and in its own (I5)',
    tables: ['stamping.events'],
    sql: `insert into stamping.events (stream, version, type, type_version, message_id, data)
          select 'stamp-' || id, 1, 'StampRequested', 2, gen_random_uuid(), json_build_object('stampId', id)
          from stamping.stamps where content is null limit 1`,
    check: 'events',
    what: /the event of version 1 is stored more than once/,
    remedy: /keep it in one of them/,
  },
  {
    name: 'an event is stored twice, in two shared rows (I5)',
    tables: ['stamping.events'],
    sql: `insert into stamping.events (stream, version, type, type_version, message_id, data, record)
          select 'pack-' || gen_random_uuid(), version, type, type_version, gen_random_uuid(), data, record
          from stamping.events where type = 'StampConfirmed' and record is not null limit 1`,
    check: 'events',
    what: /the event of version 2 is stored more than once/,
    remedy: /keep it in one of them/,
  },
  {
    name: 'an event is one more than its stamp knows of (I4)',
    tables: ['stamping.events'],
    sql: `insert into stamping.events (stream, version, type, type_version, message_id, data)
          select 'stamp-' || id, version + 1, 'StampReverted', 3, gen_random_uuid(), json_build_object('stampId', id)
          from stamping.stamps where content is null and version = 2 limit 1`,
    check: 'events',
    what: /is at version 2, its events end with 3/,
    remedy: /put the row right by its last event/,
  },
  {
    name: 'an event in between is missing',
    tables: ['stamping.events'],
    sql: `delete from stamping.events where (stream, version) =
            (select stream, version from stamping.events where type = 'StampRequested' limit 1)`,
    check: 'events',
    what: /the event of version 1 is missing/,
    remedy: /backup of stamping\.events/,
  },
  {
    name: 'a stamp is no longer what its events say (I4)',
    tables: ['stamping.stamps'],
    sql: `update stamping.stamps set object_cid = set_cid where id = (select max(id::text)::uuid from stamping.stamps)`,
    check: 'events',
    what: /its receipt and its StampConfirmed event differ in objectCid/,
    remedy: /the check stamps says/,
  },
  {
    name: 'an event names a stamp that is missing (I6)',
    tables: ['stamping.stamps'],
    sql: `delete from stamping.stamps where id = (select max(id::text)::uuid from stamping.stamps)`,
    check: 'events',
    what: /its StampRequested names a stamp that is not in stamping\.stamps/,
    remedy: /restore the row from a backup/,
  },
  {
    name: 'a request joined a stamp that is not recorded (I6)',
    tables: ['stamping.events'],
    sql: `update stamping.events set data = jsonb_set(data::jsonb, '{stampId}', '"00000000-0000-4000-8000-000000000000"')
          where type = 'StampRequestJoined'`,
    check: 'events',
    what: /its StampRequestJoined names a stamp which is not in stamping\.stamps/,
    remedy: /restore the row from a backup/,
  },
  {
    name: 'a stored file is in no event',
    tables: ['storage.events'],
    sql: 'delete from storage.events where stream = (select max(stream) from storage.events)',
    check: 'events',
    what: /no FileStored event names it/,
    remedy: /backup of the schema storage/,
  },
  {
    name: 'events wait to be published',
    tables: ['stamping.relay_cursor'],
    sql: 'update stamping.relay_cursor set position = 0',
    check: 'events',
    what: /the oldest event it has to publish is \d+ s old/,
    remedy: /do Kafka and the schema registry answer/,
  },
  {
    name: 'a collection has another name at the gateway',
    tables: ['gateway.collections'],
    sql: "update gateway.collections set name = 'Other' where name = 'First'",
    check: 'views',
    what: /gateway has another name/,
    remedy: /rebuild gateway\.collections/,
  },
  {
    name: 'verification does not know a collection',
    tables: ['verification.collections'],
    sql: "delete from verification.collections where name = 'First'",
    check: 'views',
    what: /verification does not have it/,
    remedy: /rebuild verification\.collections/,
  },
  {
    name: 'verification knows a collection that is none',
    tables: ['verification.collections'],
    sql: `insert into verification.collections select account, sha256('x'), 'Ghost', 'ghost', true from verification.collections limit 1`,
    check: 'views',
    what: /is in verification\.collections, stamping has none such/,
    remedy: /rebuild verification\.collections/,
  },
  {
    name: 'storage has a confirmed stamp as not on the chain',
    tables: ['storage.stamps'],
    sql: `update storage.stamps set on_chain = false where stamp_id = (
            select id from stamping.stamps where content is not null and status = 'confirmed' limit 1)`,
    check: 'views',
    what: /is confirmed, storage has it as not on the chain/,
    remedy: /events\.stamps/,
  },
  {
    name: 'stamping does not know an account',
    tables: ['stamping.accounts'],
    sql: 'delete from stamping.accounts',
    check: 'views',
    what: /stamping does not know it/,
    remedy: /dead-letters replay events\.accounts/,
  },
  {
    name: 'notifications has not handled the confirmation of a stamp (I5)',
    tables: ['notifications.inbox'],
    sql: `delete from notifications.inbox where consumer = 'notifications' and message_id = (
            select e.message_id from stamping.stamps s join stamping.events e on e.stream = 'stamp-' || s.id and e.version = s.version
            where s.status = 'confirmed' limit 1)`,
    check: 'public-events',
    what: /it has no stamp\.confirmed/,
    remedy: /dead letters of events\.stamps/,
  },
  {
    name: 'notifications has not handled a confirmation that shares its row (I5)',
    tables: ['notifications.inbox'],
    sql: `delete from notifications.inbox where consumer = 'notifications' and message_id = (
            select message_id from stamping.events where type = 'StampConfirmed' and record is not null limit 1)`,
    check: 'public-events',
    what: /it has no stamp\.confirmed/,
    remedy: /dead letters of events\.stamps/,
  },
  {
    name: 'the log of public events has a gap (I5)',
    tables: ['notifications.log'],
    sql: `delete from notifications.log where (account, position) = (
            select account, min(position) from notifications.log group by account having count(*) > 1 limit 1)`,
    check: 'public-events',
    what: /follows no row of the log/,
    remedy: /from a backup/,
  },
  {
    name: 'an account of the log has more positions than events',
    tables: ['notifications.accounts'],
    sql: `update notifications.accounts set position = position + 1 where account = (select min(account::text)::bytea from notifications.log)`,
    check: 'public-events',
    what: /is at position \d+, its log ends with \d+/,
    remedy: /from a backup/,
  },
  {
    name: 'a public event is not published',
    tables: ['notifications.unpublished'],
    sql: 'insert into notifications.unpublished (account, position) select account, position from notifications.log limit 1',
    check: 'public-events',
    what: /the oldest that waits is \d+ s old/,
    remedy: /does notifications run/,
  },
  {
    name: 'the path of a file is given to other content (I7)',
    tables: ['storage.paths'],
    sql: `update storage.paths set object_cid = sha256('x') where file_path = (select max(file_path) from storage.paths)`,
    check: 'files',
    what: /its path is given to 0x[0-9a-f]{64}/,
    remedy: /storage\.paths/,
  },
  {
    name: 'claimed content is not there (I7)',
    tables: ['storage.staged'],
    sql: `insert into storage.staged (staged_id, stamp_id, size, crc32c, file_name)
          values (gen_random_uuid(), gen_random_uuid(), 1, 1, 'lost.txt')`,
    check: 'files',
    what: /neither staged nor stored/,
    remedy: /must upload it again/,
  },
  {
    name: 'content that could not be stamped is not kept',
    tables: ['storage.non_confirmed'],
    sql: `insert into storage.non_confirmed (request_id, status, account, set_cid, object_cid, collection_name, requested_at,
            size, crc32c, staged_id, given_name, file_name, file_path, attempt)
          select gen_random_uuid(), 'failed', account, set_cid, object_cid, 'First', now(), 1, 1, gen_random_uuid(), 'a', 'a',
            'nowhere/non_confirmed/a', 0 from storage.stamps limit 1`,
    check: 'files',
    what: /is not in the blob store/,
    remedy: /from a backup of the blob store/,
  },
];
