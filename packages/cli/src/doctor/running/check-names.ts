/** In the order in which they run: what later ones compare with is itself compared first. */
export const checkNames = [
  'chain',
  'commitments',
  'stamps',
  'lanes',
  'events',
  'views',
  'public-events',
  'files',
] as const;
export type CheckName = (typeof checkNames)[number];

/** What a check reads besides the database. */
export const partsOf = {
  chain: ['chain'],
  commitments: ['chain'],
  stamps: ['chain'],
  lanes: ['chain'],
  events: [],
  views: [],
  'public-events': [],
  files: ['blobs'],
} as const satisfies Record<CheckName, readonly Part[]>;
export type Part = 'chain' | 'blobs';
