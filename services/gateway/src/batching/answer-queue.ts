import type { HttpError } from '../http/errors.ts';

export type LineStatus = 'created' | 'repeated' | 'pending' | 'failed' | 'ended';

/** A line's place in the order of the answers. */
export type Slot = {
  /** Counted from 1. */
  readonly line: number;
  readonly clientRef: string | undefined;
  answer?: LineResult;
};

/** How a line ended: its text, line end and all. */
export type LineResult = {
  readonly status: LineStatus;
  readonly text: string;
  /** The block of its receipt, which later look-ups are to wait for; 0 without one. */
  readonly block: number;
  /** What the whole request is answered with when this is its first result: nothing was answered yet. */
  readonly refusesWhole?: HttpError;
};

/** Answers of successive lines that go out together. */
export type Burst = {
  readonly text: string;
  /** Lines of the batch among them; the end of an answer is none. */
  readonly lines: number;
  readonly newestBlock: number;
  readonly statuses: ReadonlyMap<LineStatus, number>;
};

/** Puts results that come in any order into that of the lines. */
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
    /** The first result of a slot counts. */
    settle(slot: Slot, answer: LineResult): void {
      if (slot.answer !== undefined) return;
      slot.answer = answer;
      if (slots[head] === slot) wake();
    },
    /** No further line comes. */
    close(): void {
      closed = true;
      wake();
    },
    /** Nobody takes anything any more. */
    abandon(): void {
      slots.length = 0;
      head = 0;
      closed = true;
      wake();
    },
    first: (): Slot | undefined => slots[head],
    /** Resolves when the first line that was not taken is settled, or when all is done. One call at a time. */
    async untilReady(): Promise<void> {
      while (slots[head]?.answer === undefined && !isDone())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
    /** Takes what is settled of the first lines, up to about `maxCharacters`. */
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
      // Array.shift() of each would move all the others; this moves them once for as many as have gone.
      if (head > 1_000 && head * 2 > slots.length) {
        slots.splice(0, head);
        head = 0;
      }
      return { text, lines, newestBlock, statuses };
    },
    /** Whether every line has been taken, and no further one comes. */
    isDone,
  };
}
export type AnswerQueue = ReturnType<typeof createAnswerQueue>;
