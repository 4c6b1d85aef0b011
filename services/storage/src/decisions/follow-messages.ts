/** How far a topic's group is, by partition. */
export type Progress = readonly { readonly partition: number; readonly end: bigint; readonly handled: bigint }[];

/** The state of the topics that may name staged content. */
export type Look = {
  /** Before the first of them was read. */
  readonly at: number;
  /** commands.stamps as handled by stamping, and commands.files by storage. */
  readonly commands: readonly Progress[];
  /** events.stamps as handled by storage. */
  readonly events: Progress;
  /** Whether messages were set aside: a replay would name their content again. */
  readonly deadLetters: boolean;
};

type Ends = readonly ReadonlyMap<number, bigint>[];

/** The current wait: first the commands of a moment, then a pause, then their events. */
export type Pursuit =
  | { readonly step: 'commands'; readonly at: number; readonly ends: Ends }
  | { readonly step: 'pause'; readonly at: number; readonly until: number }
  | { readonly step: 'events'; readonly at: number; readonly ends: Ends };

export type Caught = {
  readonly pursuit: Pursuit | undefined;
  /** Storage has received all commands published before this. */
  readonly caughtUpAt: number | undefined;
};

export const nothingCaught: Caught = { pursuit: undefined, caughtUpAt: undefined };

/**
 * Follows the messages that may name staged content to storage: the commands that are in their topics at a moment,
 * until their groups have handled them; a pause in which stamping publishes its decisions; the events that are there
 * then, until storage has handled them. Each step depends on the topics alone, under constant load and in silence.
 * @param pauseMs from recording stamping's events to publishing them
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

/** Longer than commands and their dead letters are kept: no later replays. */
const replayableMs = 15 * 86_400_000;

/**
 * The time before which staged content must have been last touched to count as unclaimed: its deadline has passed, and
 * storage has every message that may have named it.
 * @param caught.caughtUpAt undefined: unknown, and nothing is swept
 * @param margin longest time from the last byte of content to publishing the message that names it
 */
export function sweptBefore(
  { caughtUpAt }: Caught,
  { now, afterMs, marginMs, deadLetters }: { now: number; afterMs: number; marginMs: number; deadLetters: boolean },
): Date | undefined {
  if (caughtUpAt === undefined) return undefined;
  return new Date(Math.min(now - Math.max(afterMs, deadLetters ? replayableMs : 0), caughtUpAt - marginMs));
}
