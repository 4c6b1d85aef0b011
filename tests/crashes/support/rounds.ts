import type { Place } from './crash.ts';

/**
 * Where processes die together while one request is under way: at most one point per service and round. What needs the
 * sweep comes first, so that its deadline passes meanwhile.
 */
export type Round = { readonly request: 'stamp' | 'upload' | 'aside'; readonly places: readonly Place[] };

export const rounds: readonly Round[] = [
  {
    request: 'stamp',
    places: [
      'gateway.content-staged',
      'stamping.deciding',
      'chain-indexer.block-stored',
      'storage.recorded',
      'verification.projecting',
      'notifications.projecting',
    ],
  },
  {
    request: 'stamp',
    places: [
      'gateway.command-due',
      'stamping.decided',
      'relay.published of chain-indexer',
      'storage.moved',
      'verification.projected',
      'notifications.projected',
    ],
  },
  {
    request: 'stamp',
    places: ['gateway.command-published', 'stamping.batch-stored', 'storage.noted', 'relay.published of notifications'],
  },
  { request: 'aside', places: ['gateway.aside-published', 'storage.aside-recorded'] },
  { request: 'aside', places: ['storage.aside-moved'] },
  { request: 'stamp', places: ['stamping.batch-signing', 'relay.published of storage'] },
  { request: 'stamp', places: ['stamping.broadcast'] },
  { request: 'stamp', places: ['stamping.replacement-stored'] },
  { request: 'stamp', places: ['stamping.confirming'] },
  { request: 'stamp', places: ['stamping.confirmed'] },
  { request: 'stamp', places: ['relay.published of stamping'] },
  { request: 'upload', places: ['gateway.upload-published', 'storage.upload-recorded'] },
];

/** Where work that takes several transactions has done one of them: parts.test.ts, and events.test.ts for notifications. */
export const placesBetweenParts = [
  'stamping.finality-left',
  'stamping.revert-left',
  'relay.held of stamping',
  'relay.held-published of stamping',
  'relay.held of notifications',
  'relay.held-published of notifications',
  'chain-indexer.blocks-republished',
] as const satisfies readonly Place[];

/** Of work that no request waits for: services/notifications/tests/kafka/webhook-crashes.test.ts. */
export const placesOfWebhooks = [
  'notifications.webhook-sent',
  'notifications.webhook-recorded',
] as const satisfies readonly Place[];

/** Of bringing a restored database up to date: tests/restore/lost-hour.test.ts. */
export const placesOfRestore = [
  'stamping.restore-importing',
  'stamping.restore-imported',
  'stamping.restore-decided',
  'stamping.restore-adopting',
] as const satisfies readonly Place[];
