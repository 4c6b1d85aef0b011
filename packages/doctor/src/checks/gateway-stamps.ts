import {
  judgeGatewayStamp,
  judgeUnknownStamp,
  type ShownStamp,
  type StampPair,
} from '../decisions/compare-stamp-view.ts';
import type { Reader } from '../readers/reader.ts';
import { receiptOfStamp } from '../readers/receipt-columns.ts';
import { hex, keyOf, surveyTable } from '../readers/survey-table.ts';
import type { Survey } from '../survey.ts';

type Ports = {
  readonly reader: Reader;
  readonly pageSize: number;
  readonly chainId: number;
  readonly graceSeconds: number;
};

const rebuild =
  "indelible rebuild gateway.stamps (when many differ: is the gateway's consumer behind, are there dead letters of events.stamps, events.requests or events.files?)";

/** The gateway's status of each stamp ↔ stamping, and ↔ storage for its file. What is younger than the grace is on its way. */
export const surveyGatewayStamps = ({ reader, pageSize, chainId, graceSeconds }: Ports): Survey =>
  surveyTable<StampPair>({
    reader,
    pageSize,
    of: 'stamps in the view of the gateway',
    table: 'stamping.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    columns: `t.status, ${receiptOfStamp('$1')} as receipt, ${hex('t.account')} as account,
      ${hex('t.set_cid')} as "setCid", ${hex('t.object_cid')} as "objectCid",
      extract(epoch from clock_timestamp() - e.recorded_at)::float8 > $2 as "isSettled",
      f.file_path as "filePath", b.status as "batchStatus",
      exists (select from stamping.events d where d.stream = 'batch-' || t.batch_id and d.type = 'StampsFinalized'
        and d.recorded_at < clock_timestamp() - make_interval(secs => $2)) as "isToldFinal",
      case when g.id is null then null else json_build_object('status', g.status,
        'finalized', coalesce(g.on_chain and n.hash is not null, false),
        'receipt', case when g.on_chain then json_build_object('transactionHash', ${hex('g.transaction_hash')},
          'logIndex', g.log_index, 'blockNumber', g.block_number, 'blockHash', ${hex('g.block_hash')},
          'blockTime', g.block_time, 'chainId', g.chain_id, 'account', g.account, 'setCid', g.set_cid,
          'objectCid', g.object_cid) end, 'account', g.account,
        'setCid', g.set_cid, 'objectCid', g.object_cid, 'filePath', g.file_path) end as shown`,
    joins: `left join gateway.stamps g on g.id = t.id
      left join gateway.final_blocks n on n.hash = g.block_hash
      left join stamping.batches b on b.id = t.batch_id
      left join storage.files f on f.stamp_id = t.id and f.status = 'success'
        and f.stored_at < clock_timestamp() - make_interval(secs => $2)
      left join lateral (
        select recorded_at from stamping.events where stream = 'stamp-' || t.id order by version desc limit 1) e on true`,
    parameters: [chainId, graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) =>
        judgeGatewayStamp(row).map((what) => ({
          key: keyOf(row),
          subject: `stamp ${row.key[0]}`,
          what,
          remedy: rebuild,
        })),
      ),
  });

/** What the gateway shows ↔ whether stamping knows of it: nothing accepted disappears (I6). */
export const surveyShownStamps = ({ reader, pageSize, graceSeconds }: Ports): Survey =>
  surveyTable<ShownStamp>({
    reader,
    pageSize,
    of: 'stamps that the gateway shows',
    table: 'gateway.stamps',
    keys: [{ column: 'id', type: 'uuid' }],
    where: 'requested_at < clock_timestamp() - make_interval(secs => $1)',
    columns: `t.status, s.id is not null as "isStamp", r.type as "requestEvent",
      t.requested_at < clock_timestamp() - interval '29 days' as "isOld"`,
    joins: `left join stamping.stamps s on s.id = t.id
      left join stamping.events r on r.stream = 'request-' || t.id and r.version = 1`,
    parameters: [graceSeconds],
    judge: (rows) =>
      rows.flatMap((row) => {
        const told = judgeUnknownStamp(row);
        return told === undefined
          ? []
          : [{ key: keyOf(row), subject: `stamp ${row.key[0]}`, what: told.what, remedy: told.remedy ?? rebuild }];
      }),
  });
