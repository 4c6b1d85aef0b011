import { type Hex, newId } from '@indelible/identifiers';
import type { AwaitedStamp } from '../../decisions/wait-for-stamp.ts';
import { ClientGoneError, HttpError } from '../../errors/http-error.ts';
import { refusalError } from '../../errors/refusal-error.ts';
import { translateError } from '../../errors/translate-error.ts';
import { isShownAsCreated } from '../collections/await-created.ts';
import { requestStamp } from '../stamping/stamp-request.ts';
import { answerLine } from './answer-line.ts';
import type { AnswerQueue, Slot } from './answer-queue.ts';
import { type CutLine, createLineCutter } from './cut-lines.ts';
import { createLineGroups, type DueLine } from './line-groups.ts';
import type { WindowShare } from './line-window.ts';
import { createPace } from './pace.ts';
import type { BatchPorts, BatchRequest } from './ports.ts';
import { createLineReader, type LineRequest } from './read-line.ts';
import { createTargets } from './targets.ts';

export const maxLineBytes = 4_096;
/** Number of lines a batch starts with, until its pace is known. */
const firstLines = 5_000;
const maxShown = 1_000;

/** The lines of one batch: read as they come, submitted in groups, and answered in their order. */
export function createLines(ports: BatchPorts, request: BatchRequest, queue: AnswerQueue, share: WindowShare) {
  const { account, trace } = request;
  const idempotency = { windowSeconds: request.windowSeconds };
  const readLine = createLineReader();
  const targetsOf = createTargets(account, ports.collections);
  const pace = createPace({ first: firstLines, spanMs: ports.waitLimitMs / 3 });
  const groups = createLineGroups(ports, {
    onOutcome: conclude,
    onFault: failSubmitted,
    onDropped: giveBack,
  });
  const shown = new Map<Hex, Promise<boolean>>();
  /** The last line taken, counted from 1. */
  let line = 0;

  const fail = (slot: Slot, error: HttpError): void => queue.answer(slot, answerLine.failed(slot, error));

  async function take(cut: readonly CutLine[], signal: AbortSignal): Promise<void> {
    for (let next = 0; next < cut.length; ) {
      const room = request.maxLines - line;
      if (room === 0)
        throw new HttpError(413, 'the batch is too long', { details: `at most ${request.maxLines} lines` });
      const allowed = await request.allow(Math.min(cut.length - next, room), signal);
      for (const end = next + allowed; next < end; ) {
        const granted = await share.take(end - next, pace.room, signal);
        await takeSome(cut.slice(next, next + granted));
        next += granted;
      }
    }
  }

  async function takeSome(cut: readonly CutLine[]): Promise<void> {
    const due: { readonly slot: Slot; readonly parsed: LineRequest }[] = [];
    let blank = 0;
    for (const text of cut) {
      line++;
      if (typeof text === 'string' && isBlank(text)) {
        blank++;
        continue;
      }
      const parsed = typeof text === 'string' ? readLine(text) : { error: text.fault, clientRef: undefined };
      const slot = queue.add(line, parsed.clientRef);
      if ('error' in parsed) fail(slot, new HttpError(400, parsed.error));
      else due.push({ slot, parsed });
    }
    share.give(blank);
    if (due.length === 0) return;
    const targets = await targetsOf(due.map(({ parsed }) => parsed.set));
    const requestedAt = new Date(ports.now()).toISOString();
    const ready: DueLine[] = [];
    for (const [i, { slot, parsed }] of due.entries()) {
      const target = targets[i] as (typeof targets)[number];
      if (target instanceof HttpError) {
        fail(slot, target);
        continue;
      }
      const command = requestStamp(
        { account, objectCid: parsed.objectCid, target, idempotency },
        {
          ...{ requestId: newId(), requestedAt, replyTo: ports.instanceId, content: null, awaits: 'outcome' },
          // An empty reference identifies nothing: it is only returned with the line's result.
          clientRef: parsed.clientRef || null,
        },
        trace,
      );
      ready.push({ slot, command, isCounted: false });
    }
    for (const line of await countable(ready)) {
      const full = groups.add(line);
      if (full !== undefined) await full;
    }
  }

  /** The first of these lines, as many as the account's day has left; the others fail. */
  async function countable(lines: DueLine[]): Promise<readonly DueLine[]> {
    if (lines.length === 0) return lines;
    const { amount, isCounted } = await ports.stampQuota.takeSome(account, lines.length);
    const beyond = lines.splice(amount);
    for (const line of lines) line.isCounted = isCounted;
    if (beyond.length === 0) return lines;
    const refusal = ports.stampQuota.refuse(account, beyond.length);
    for (const { slot } of beyond) fail(slot, refusal);
    return lines;
  }

  function giveBack(lines: readonly DueLine[]): void {
    const counted = lines.filter(({ isCounted }) => isCounted).length;
    if (counted > 0) ports.stampQuota.give(account, counted);
  }

  function failSubmitted(lines: readonly DueLine[], error: unknown, mayBePublished: boolean): void {
    if (!mayBePublished) giveBack(lines);
    failAll(lines, error);
  }

  function failAll(lines: readonly DueLine[], error: unknown): void {
    ports.observations.linesFailed(error, lines.length, trace);
    const fault = translateError(error);
    for (const { slot } of lines) fail(slot, fault);
  }

  function conclude(due: DueLine, outcome: AwaitedStamp): void {
    const madeNothing = outcome.kind === 'refused' || outcome.stampId !== due.command.data.requestId;
    if (madeNothing) giveBack([due]);
    switch (outcome.kind) {
      case 'refused': {
        const { set } = due.command.data;
        fail(due.slot, refusalError(outcome.refusal, set.kind === 'registered' ? set.cid : undefined));
        return;
      }
      case 'accepted':
      case 'limit':
        pend(due, outcome.stampId);
        return;
      case 'confirmed': {
        const { slot } = due;
        pace.confirmed(1);
        const answer = (): void => queue.answer(slot, answerLine.receipt(slot, outcome.outcome, outcome.receipt));
        if (!outcome.collectionCreated) answer();
        else
          void isShown(outcome.receipt.setCid).then((isThere) => {
            if (isThere) answer();
            else pend(due, outcome.stampId);
          });
      }
    }
  }

  /** A client can find what it was notified of (I9): a line's new collection before the line's result. */
  function isShown(cid: Hex): Promise<boolean> {
    let looking = shown.get(cid);
    if (looking === undefined) {
      looking = isShownAsCreated(ports.collections, { account, setCid: cid }).catch(() => false);
      if (shown.size >= maxShown) shown.clear();
      shown.set(cid, looking);
    }
    return looking;
  }

  const pend = ({ slot }: DueLine, id: string): void => queue.answer(slot, answerLine.pending(slot, id));

  return {
    /** Reads the batch to its end, or until the signal aborts. Never rejects. */
    async read(signal: AbortSignal): Promise<void> {
      try {
        const cutter = createLineCutter(maxLineBytes);
        for await (const chunk of request.body(() => queue.first() !== undefined))
          await take(cutter.push(chunk), signal);
        await take(cutter.end(), signal);
      } catch (error) {
        if (signal.aborted || error instanceof ClientGoneError) return;
        const fault = translateError(error);
        if (fault.status >= 500) ports.observations.linesFailed(error, 0, trace);
        const next = line + 1;
        queue.answer(queue.add(next, undefined), answerLine.ended(next, fault));
      }
    },
    stop(): void {
      groups.stop();
    },
  };
}

const isBlank = (text: string): boolean => text.charCodeAt(0) !== openingBrace && /^[ \t\r]*$/.test(text);
const openingBrace = 0x7b;
