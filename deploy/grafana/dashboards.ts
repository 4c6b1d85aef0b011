/** A query and the legend of its series. */
type Query = readonly [expr: string, legend: string];
export type Panel = { readonly title: string; readonly unit: string; readonly queries: readonly Query[] };
export type Dashboard = { readonly uid: string; readonly title: string; readonly panels: readonly Panel[] };

const panel = (title: string, unit: string, ...queries: Query[]): Panel => ({ title, unit, queries });

/** Of a counter, by labels. */
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[5m]))`;
/** Of a histogram, by labels. */
const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${by === '' ? 'le' : `${by}, le`}) (rate(${metric}[5m])))`;
/** Of a gauge that all replicas show alike. */
const max = (metric: string, by: string): string => (by === '' ? `max(${metric})` : `max by (${by}) (${metric})`);

const stage = (name: string): string => `indelible_stage_duration_seconds_bucket{stage="${name}"}`;
const stagePanel = (name: string, title: string): Panel =>
  panel(title, 's', [quantile(0.5, stage(name), ''), 'p50'], [quantile(0.99, stage(name), ''), 'p99']);

/** What processes report carries no name of a service: it is that of their build info. */
const ofService = (expr: string, service: string): string =>
  `${expr} * on (job, instance) group_left () indelible_build_info{service="${service}"}`;

const processOf = (service: string): readonly Panel[] => [
  panel('Replicas', 'none', [`count(indelible_build_info{service="${service}"})`, 'replicas']),
  panel('CPU', 'percentunit', [ofService('rate(process_cpu_seconds_total[5m])', service), '{{instance}}']),
  panel('Memory', 'bytes', [ofService('process_resident_memory_bytes', service), '{{instance}}']),
  panel('Event loop lag, p99', 's', [ofService('nodejs_eventloop_lag_p99_seconds', service), '{{instance}}']),
  panel('Callers that wait for a connection', 'none', [
    ofService('indelible_postgres_pool_connections{state="waiting"}', service),
    '{{instance}} {{pool}}',
  ]),
];

const overview: Dashboard = {
  uid: 'overview',
  title: 'overview',
  panels: [
    panel('Stamps confirmed', 'ops', [rate('indelible_stamping_stamps_total', 'outcome'), '{{outcome}}']),
    panel('Requests by status', 'reqps', [rate('indelible_gateway_requests_total', 'status'), '{{status}}']),
    panel(
      'Request to confirmation',
      'none',
      [quantile(0.5, 'indelible_stamping_confirmation_blocks_bucket', ''), 'p50, blocks'],
      [quantile(0.99, 'indelible_stamping_confirmation_blocks_bucket', ''), 'p99, blocks'],
    ),
    panel('Stages, p90', 's', [quantile(0.9, 'indelible_stage_duration_seconds_bucket', 'stage'), '{{stage}}']),
    panel('Stamps under way', 'none', [max('indelible_stamping_stamps_under_way', 'state'), '{{state}}']),
    panel('Oldest unconfirmed stamp', 's', [max('indelible_stamping_oldest_unconfirmed_seconds', ''), 'age']),
    panel('Consumer lag', 'none', ['sum by (group, topic) (indelible_consumer_lag_messages)', '{{group}} {{topic}}']),
    panel('Outbox: oldest event', 's', [max('indelible_relay_oldest_unpublished_seconds', 'schema'), '{{schema}}']),
    panel('Dead letters', 'none', [max('indelible_dead_letters_waiting', 'topic'), '{{topic}}']),
    panel('Replicas', 'none', ['count by (service, version) (indelible_build_info)', '{{service}} {{version}}']),
    panel('Stamps that lanes can pay', 'none', [max('indelible_stamping_lane_stamps_left', 'lane'), '{{lane}}']),
    panel('Indexer behind the head', 'none', [max('indelible_chain_lag_blocks', 'chain_id'), 'chain {{chain_id}}']),
  ],
};

const gateway: Dashboard = {
  uid: 'gateway',
  title: 'gateway',
  panels: [
    panel('Requests', 'reqps', [rate('indelible_gateway_requests_total', 'operation'), '{{operation}}']),
    panel('Errors of ours', 'reqps', [
      rate('indelible_gateway_requests_total{status=~"5.."}', 'operation, status'),
      '{{operation}} {{status}}',
    ]),
    panel('Request, p99', 's', [
      quantile(0.99, 'indelible_gateway_request_duration_seconds_bucket', 'operation'),
      '{{operation}}',
    ]),
    stagePanel('accept', 'Accept'),
    panel(
      'Waiting',
      'none',
      ['sum(indelible_gateway_waiting_requests)', 'requests'],
      ['sum(indelible_gateway_batch_lines_under_way)', 'lines of batches'],
    ),
    panel(
      'Refused',
      'reqps',
      [rate('indelible_gateway_refused_requests_total', 'bound'), 'bound: {{bound}}'],
      [rate('indelible_gateway_refused_commands_total', 'topic'), 'lag: {{topic}}'],
      [rate('indelible_gateway_pending_answers_total', 'operation'), 'pending: {{operation}}'],
    ),
    panel('Command lag', 'none', [max('indelible_gateway_command_lag_records', 'topic'), '{{topic}}']),
    panel(
      'Rate limits and quotas',
      'reqps',
      [rate('indelible_gateway_rate_limit_decisions_total', 'decision'), 'rate: {{decision}}'],
      [rate('indelible_gateway_quota_decisions_total', 'quota, decision'), '{{quota}}: {{decision}}'],
    ),
    panel('Lines of batches', 'ops', [rate('indelible_gateway_batch_lines_total', 'status'), '{{status}}']),
    panel('Connections', 'none', ['sum(indelible_gateway_connections)', 'open']),
    panel('Held bytes', 'bytes', ['sum(indelible_gateway_held_bytes)', 'held']),
    ...processOf('gateway'),
  ],
};

const stamping: Dashboard = {
  uid: 'stamping',
  title: 'stamping',
  panels: [
    panel('Decisions', 'ops', [rate('indelible_stamping_requests_total', 'decision'), '{{decision}}']),
    stagePanel('decide', 'Decide'),
    stagePanel('batch', 'Wait for a batch'),
    stagePanel('broadcast', 'Broadcast'),
    stagePanel('block', 'Until the block is read'),
    stagePanel('confirm', 'Block to confirmation'),
    stagePanel('reply', 'Reply'),
    stagePanel('finalize', 'Signing to finality'),
    panel('Items of a batch', 'none', [quantile(0.5, 'indelible_stamping_batch_items_bucket', ''), 'p50']),
    panel(
      'Batches',
      'ops',
      [rate('indelible_stamping_batches_total', 'job'), 'signed'],
      [rate('indelible_stamping_replacements_total', 'job'), 'replaced'],
    ),
    panel('Batches not final', 'none', [max('indelible_stamping_batches_not_final', ''), 'batches']),
    panel(
      'Faults',
      'ops',
      [rate('indelible_stamping_broadcast_faults_total', 'fault'), 'broadcast: {{fault}}'],
      [rate('indelible_stamping_rpc_events_total', 'kind, host'), '{{kind}} {{host}}'],
    ),
    panel(
      'To look into',
      'none',
      ['sum(increase(indelible_stamping_unmatched_logs_total[1h]))', 'unmatched logs in an hour'],
      [max('indelible_stamping_unserved_batches', ''), 'unserved batches'],
      ['sum(increase(indelible_stamping_chain_facts_dropped_total[1h]))', 'facts dropped in an hour'],
    ),
    ...processOf('stamping'),
  ],
};

const chain: Dashboard = {
  uid: 'chain-and-lanes',
  title: 'chain and lanes',
  panels: [
    panel('Balance', 'none', [max('indelible_stamping_lane_balance_ether', 'lane'), '{{lane}}']),
    panel('Stamps left', 'none', [max('indelible_stamping_lane_stamps_left', 'lane'), '{{lane}}']),
    panel('Spent in a day', 'none', [
      'sum by (lane) (increase(indelible_stamping_lane_spent_ether_total[1d]))',
      '{{lane}}',
    ]),
    panel(
      'Fee of a stamp',
      'none',
      [max('indelible_stamping_fee_per_stamp_ether', ''), 'at most'],
      [
        'sum(rate(indelible_stamping_lane_spent_ether_total[1h])) / sum(rate(indelible_stamping_stamps_total{outcome="confirmed"}[1h]))',
        'spent',
      ],
    ),
    panel('Low funds', 'none', [max('indelible_stamping_lane_low_funds', 'lane'), '{{lane}}']),
    panel('Pending transactions', 'none', [max('indelible_stamping_lane_pending_transactions', 'lane'), '{{lane}}']),
    panel('Oldest pending transaction', 's', [
      max('indelible_stamping_lane_oldest_pending_seconds', 'lane'),
      '{{lane}}',
    ]),
    panel(
      'Blocks',
      'none',
      [max('indelible_chain_head_block', 'chain_id'), 'head'],
      [max('indelible_chain_indexed_block', 'chain_id'), 'indexed'],
      [max('indelible_chain_finalized_block', 'chain_id'), 'final'],
      [`min by (chain_id) (indelible_verification_cursor_block)`, 'verification'],
    ),
    panel('Age of the head', 's', [max('indelible_chain_head_age_seconds', 'chain_id'), 'chain {{chain_id}}']),
    panel('Reorgs by depth in an hour', 'none', [
      'sum by (le) (increase(indelible_chain_reorg_depth_blocks_bucket[1h]))',
      'up to {{le}} blocks',
    ]),
  ],
};

const indexer: Dashboard = {
  uid: 'chain-indexer',
  title: 'chain-indexer',
  panels: [
    stagePanel('index', 'Block to index'),
    panel('Behind the head', 'none', [max('indelible_chain_lag_blocks', 'chain_id'), 'blocks']),
    panel('Following', 'none', [max('indelible_chain_following', 'state'), '{{state}}']),
    panel(
      'Blocks and logs',
      'ops',
      [rate('indelible_chain_blocks_total', 'chain_id'), 'blocks'],
      [rate('indelible_chain_logs_total', 'chain_id'), 'logs'],
    ),
    panel(
      'Faults',
      'ops',
      [rate('indelible_chain_faults_total', 'kind'), '{{kind}}'],
      [rate('indelible_rpc_endpoint_faults_total', 'host, fault'), '{{host}} {{fault}}'],
    ),
    ...processOf('chain-indexer'),
  ],
};

const storage: Dashboard = {
  uid: 'storage',
  title: 'storage',
  panels: [
    stagePanel('store', 'Confirmation to stored file'),
    panel(
      'Files',
      'ops',
      [rate('indelible_storage_files_stored_total', 'job'), 'stored'],
      [rate('indelible_storage_files_postponed_total', 'job'), 'postponed'],
      [rate('indelible_storage_files_failed_total', 'job'), 'failed'],
    ),
    panel('Pending files', 'none', [max('indelible_storage_files_pending', ''), 'files']),
    panel('Uploads', 'ops', [rate('indelible_storage_uploads_total', 'outcome'), '{{outcome}}']),
    panel('Blob store, p99', 's', [
      quantile(0.99, 'indelible_blob_store_operation_duration_seconds_bucket', 'operation'),
      '{{operation}}',
    ]),
    panel('Blob store faults', 'ops', [
      rate('indelible_blob_store_operation_duration_seconds_count{outcome!="ok"}', 'operation, outcome'),
      '{{operation}} {{outcome}}',
    ]),
    ...processOf('storage'),
  ],
};

const verification: Dashboard = {
  uid: 'verification',
  title: 'verification',
  panels: [
    stagePanel('project', 'Block to verify'),
    panel(
      'Commitments',
      'ops',
      [rate('indelible_verification_commitments_projected_total', 'job'), 'projected'],
      [rate('indelible_verification_commitments_reverted_total', 'job'), 'reverted'],
    ),
    panel('Gaps', 'ops', [rate('indelible_verification_gaps_total', 'job'), 'gaps']),
    panel('Spooled', 'bytes', ['sum(indelible_verification_spooled_bytes)', 'spooled']),
    ...processOf('verification'),
  ],
};

const notifications: Dashboard = {
  uid: 'notifications',
  title: 'notifications',
  panels: [
    panel('Events appended', 'ops', [rate('indelible_notifications_events_total', 'type'), '{{type}}']),
    panel('Consumer lag', 'none', [
      'sum by (topic) (indelible_consumer_lag_messages{group="notifications"})',
      '{{topic}}',
    ]),
    ...processOf('notifications'),
  ],
};

const events: Dashboard = {
  uid: 'events',
  title: 'events',
  panels: [
    stagePanel('publish', 'Recording to Kafka, internal events'),
    stagePanel('publish_public', 'Log to public topic'),
    panel('Outbox: oldest event', 's', [max('indelible_relay_oldest_unpublished_seconds', 'schema'), '{{schema}}']),
    panel('Streams held back', 'none', [max('indelible_relay_held_streams', 'schema'), '{{schema}}']),
    panel('Messages', 'ops', [rate('indelible_messages_total', 'kind, topic'), '{{kind}} {{topic}}']),
    panel('Oldest unhandled message', 's', [
      max('indelible_consumer_oldest_unhandled_seconds', 'group, topic'),
      '{{group}} {{topic}}',
    ]),
    panel(
      'Dead letters',
      'none',
      [rate('indelible_dead_letters_total', 'topic'), '{{topic}}, a second'],
      [max('indelible_dead_letters_waiting', 'topic'), '{{topic}}, waiting'],
    ),
    panel('Public records', 'ops', [rate('indelible_notifications_published_total', 'job'), 'published']),
    panel(
      'Event streams',
      'none',
      ['sum(indelible_gateway_event_streams)', 'open'],
      [rate('indelible_gateway_event_streams_ended_total', 'reason'), 'ended: {{reason}}, a second'],
    ),
    panel('Events sent', 'ops', [rate('indelible_gateway_events_sent_total', 'job'), 'to streams']),
    panel('Webhook attempts', 'ops', [
      rate('indelible_notifications_webhook_attempts_total', 'outcome'),
      '{{outcome}}',
    ]),
    panel('Webhook answers, p99', 's', [
      quantile(0.99, 'indelible_notifications_webhook_attempt_duration_seconds_bucket', ''),
      'p99',
    ]),
    panel(
      'Webhook backlog',
      'none',
      [max('indelible_notifications_webhook_deliveries_waiting', ''), 'deliveries'],
      ['sum(increase(indelible_notifications_webhooks_disabled_total[1d]))', 'disabled in a day'],
    ),
    panel('Oldest webhook event', 's', [max('indelible_notifications_webhook_oldest_seconds', ''), 'age']),
  ],
};

export const dashboards = [overview, gateway, stamping, chain, indexer, storage, verification, notifications, events];
