/** How far a topic's group is, by partition. */
export type Progress = readonly { readonly partition: number; readonly end: bigint; readonly handled: bigint }[];

/** The topics that may name staged content, and when they were looked at. */
export type Look = {
  /** Before the first of them was read. */
  readonly at: number;
  /** commands.stamps as stamping handles it, and commands.files as storage does. */
  readonly commands: readonly Progress[];
  /** events.stamps as storage handles it. */
  readonly events: Progress;
  /** Whether messages of any of them were set aside: when they are replayed, they name their content again. */
  readonly deadLetters: boolean;
};

type Ends = readonly ReadonlyMap<number, bigint>[];

/** What is waited for: the commands of a moment, then a pause, then the events that they became. */
export type Pursuit =
  | { readonly step: 'commands'; readonly at: number; readonly ends: Ends }
  | { readonly step: 'pause'; readonly at: number; readonly until: number }
  | { readonly step: 'events'; readonly at: number; readonly ends: Ends };

export type Caught = {
  readonly pursuit: Pursuit | undefined;
  /** Storage has received every command that was published before this. */
  readonly caughtUpAt: number | undefined;
};

export const nothingCaught: Caught = { pursuit: undefined, caughtUpAt: undefined };

/**
 * Follows the messages that may name staged content on their way to storage: the commands that are in their topics at a moment,
 * until their groups have handled them; a pause in which stamping publishes what it decided; the events that are there then,
 * until storage has handled them. Each step is known from the topics alone, under constant load and in silence alike.
 * @param pauseMs for stamping's events between their recording and their topic
 */
export function followMessages(before: Caught, look: Look, pauseMs: number): Caught {
  let { pursuit, caughtUpAt } = before;
  pursuit ??= { step: 'commands', at: look.at, ends: endsOf(look.commands) };
  if (pursuit.step === 'commands' && haveReached(look.commands, pursuit.ends))
    pursuit = { step: 'pause', at: pursuit.at, until: look.at + pauseMs };
  if (pursuit.step === 'pause' && look.at >= pursuit.until)
    pursuit = { step: 'events', at: pursuit.at, ends: endsOf([look.events]) };
  if (pursuit.step === 'events' && haveReached([look.events], pursuit.ends)) {
    caughtUpAt = pursuit.at;
    pursuit = undefined;
  }
  return { pursuit, caughtUpAt };
}

const endsOf = (topics: readonly Progress[]): Ends =>
  topics.map((partitions) => new Map(partitions.map(({ partition, end }) => [partition, end])));

const haveReached = (topics: readonly Progress[], ends: Ends): boolean =>
  ends.every((wanted, topic) => {
    const handled = new Map(topics[topic]?.map((one) => [one.partition, one.handled]));
    return [...wanted].every(([partition, end]) => (handled.get(partition) ?? -1n) >= end);
  });

/** Longer than a command, or its dead letter, is kept: later none can be replayed. */
const replayableMs = 15 * 86_400_000;

/**
 * Before when staged content must have been touched last to count as unclaimed: it is past its deadline, and every
 * message that may have named it has come to storage.
 * @param caught.caughtUpAt undefined: not known, and nothing is swept
 * @param margin from the last byte of content until the message that names it is published, at most
 */
export function sweptBefore(
  { caughtUpAt }: Caught,
  { now, afterMs, marginMs, deadLetters }: { now: number; afterMs: number; marginMs: number; deadLetters: boolean },
): Date | undefined {
  if (caughtUpAt === undefined) return undefined;
  return new Date(Math.min(now - Math.max(afterMs, deadLetters ? replayableMs : 0), caughtUpAt - marginMs));
}
