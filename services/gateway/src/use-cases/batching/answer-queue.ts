import type { HttpError } from '../../errors/http-error.ts';

export type LineStatus = 'created' | 'repeated' | 'pending' | 'failed' | 'ended';

/** A line's position in the order of results. */
export type Slot = {
  /** Counted from 1. */
  readonly line: number;
  readonly clientRef: string | undefined;
  answer?: LineResult;
};

/** The result of a line: its text, with its line end. */
export type LineResult = {
  readonly status: LineStatus;
  readonly text: string;
  /** The block of its receipt, for which later look-ups wait; 0 without one. */
  readonly block: number;
  /** The response to the whole request if this result is the first. */
  readonly refusesWhole?: HttpError;
};

/** Results of successive lines that are sent together. */
export type Burst = {
  readonly text: string;
  /** Number of batch lines in it; the end of a response is none. */
  readonly lines: number;
  readonly newestBlock: number;
  readonly statuses: ReadonlyMap<LineStatus, number>;
};

/** Puts results in line order. */
export function createAnswerQueue() {
  const slots: Slot[] = [];
  let head = 0;
  let closed = false;
  let wake = (): void => {};
  const isDone = (): boolean => closed && head === slots.length;

  return {
    add(line: number, clientRef: string | undefined): Slot {
      const slot: Slot = { line, clientRef };
      slots.push(slot);
      return slot;
    },
    /** Only a slot's first result counts. */
    answer(slot: Slot, answer: LineResult): void {
      if (slot.answer !== undefined) return;
      slot.answer = answer;
      if (slots[head] === slot) wake();
    },
    /** No more lines follow. */
    close(): void {
      closed = true;
      wake();
    },
    /** Drops everything: the client has disconnected. */
    abandon(): void {
      slots.length = 0;
      head = 0;
      closed = true;
      wake();
    },
    first: (): Slot | undefined => slots[head],
    /** Resolves when the first remaining line has its result, or all is done. One call at a time. */
    async untilReady(): Promise<void> {
      while (slots[head]?.answer === undefined && !isDone())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    /** Takes the first lines' results, up to about `maxCharacters`. */
    take(maxCharacters: number): Burst {
      let text = '';
      let lines = 0;
      let newestBlock = 0;
      const statuses = new Map<LineStatus, number>();
      for (let slot = slots[head]; slot?.answer !== undefined && text.length < maxCharacters; slot = slots[head]) {
        const { answer } = slot;
        text += answer.text;
        if (answer.block > newestBlock) newestBlock = answer.block;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status !== 'ended') lines++;
        head++;
      }
      // Array.shift() moves all the others each time; this moves them once for many.
      if (head > 1_000 && head * 2 > slots.length) {
        slots.splice(0, head);
        head = 0;
      }
      return { text, lines, newestBlock, statuses };
    },
    /** Whether every line has been taken, and no more follow. */
    isDone,
  };
}
export type AnswerQueue = ReturnType<typeof createAnswerQueue>;
