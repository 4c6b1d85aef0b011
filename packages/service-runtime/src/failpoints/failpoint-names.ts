/**
 * Every point of a stamp's life at which a process can be made to die, named by what was just done. `-ing` is before
 * the commit of a transaction, the rest after what they name. docs/life-of-a-stamp.md lists what each leaves.
 */
export const failpointNames = [
  'gateway.content-staged',
  'gateway.command-due',
  'gateway.command-published',
  'gateway.upload-published',
  'gateway.aside-published',
  'stamping.deciding',
  'stamping.decided',
  'stamping.batch-signing',
  'stamping.batch-stored',
  'stamping.broadcast',
  'stamping.replacement-stored',
  'stamping.confirming',
  'stamping.confirmed',
  'stamping.finality-left',
  'stamping.revert-left',
  'stamping.restore-importing',
  'stamping.restore-imported',
  'stamping.restore-decided',
  'stamping.restore-adopting',
  'relay.published',
  'relay.held',
  'relay.held-published',
  'chain-indexer.block-stored',
  'chain-indexer.blocks-republished',
  'storage.recorded',
  'storage.moved',
  'storage.noted',
  'storage.upload-recorded',
  'storage.aside-recorded',
  'storage.aside-moved',
  'verification.projecting',
  'verification.projected',
  'notifications.projecting',
  'notifications.projected',
  'notifications.webhook-sent',
  'notifications.webhook-recorded',
] as const;

export type FailpointName = (typeof failpointNames)[number];
