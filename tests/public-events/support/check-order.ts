import { factOf, receiptIn, type SeenEvent } from './public-event.ts';

/** What a stamp's events so far have come to. */
type Stage = {
  submitted: boolean;
  /** It has been confirmed at some time. */
  known: boolean;
  /** The block that it is confirmed in. */
  block: string | undefined;
  ended: boolean;
};

/**
 * The events of stamps that none of the valid orders allows: submitted, confirmed, then reverted and confirmed again any number of times, and
 * finalized in the block of its last confirmation, or failed; files only after a confirmation. A second submission may come at any time
 * before the end: it may pass the reversion of the first (docs/adr/0025-public-events.md).
 * @param uploadedLater paths of files that were sent for a commitment, which need no confirmation before
 */
export function checkOrder(events: readonly SeenEvent[], uploadedLater: ReadonlySet<string>): string[] {
  const stages = new Map<string, Stage>();
  return events.flatMap((event) => {
    if (!/^(stamp|file)\./.test(event.name)) return [];
    const stage = stages.get(event.subject) ?? { submitted: false, known: false, block: undefined, ended: false };
    stages.set(event.subject, stage);
    return follow(stage, event, uploadedLater) ? [] : [factOf(event)];
  });
}

/** @returns whether it may follow */
function follow(stage: Stage, event: SeenEvent, uploadedLater: ReadonlySet<string>): boolean {
  const block = receiptIn(event)?.block_hash;
  const { submitted, ended } = stage;
  switch (event.name) {
    case 'stamp.submitted':
      stage.submitted = true;
      return !ended;
    case 'stamp.confirmed': {
      const isNew = stage.block === undefined;
      Object.assign(stage, { block, known: true });
      return submitted && isNew && !ended;
    }
    case 'stamp.reverted': {
      const wasThere = stage.block === block;
      stage.block = undefined;
      return wasThere && !ended;
    }
    case 'stamp.finalized':
      stage.ended = true;
      return stage.block === block && !ended;
    case 'stamp.failed':
      stage.ended = true;
      return stage.block === undefined && !ended;
    case 'file.stored': {
      const { file_path: path } = event.data.file_object as { file_path: string };
      return stage.known || uploadedLater.has(path);
    }
    case 'file.failed':
      return stage.known;
    default:
      return false;
  }
}
