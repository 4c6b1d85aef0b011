import type { ConfirmationDepth } from '@indelible/ethereum';
import { claimMessages, findHandled } from '@indelible/event-store';
import type { Hex } from '@indelible/identifiers';
import { type IncomingMessage, isMessage } from '@indelible/kafka';
import { BlockAppended, BlocksFinalized, BlocksReverted, BlocksSafe } from '@indelible/messages';
import { type Client, type Database, decideInTransaction } from '@indelible/postgres';
import type { Tracing } from '@indelible/service-runtime';
import { failpoint } from '@indelible/service-runtime';
import { appendBlock } from './append-block.ts';
import { addOutcome, type ChainOutcome, emptyOutcome } from './chain-outcome.ts';
import { confirmDeep } from './confirm-deep.ts';
import { type Cursor, lockCursor, saveCursor } from './cursor.ts';
import { revertBlocks } from './revert-blocks.ts';
import { type ChainFact, stepOf } from './step-of.ts';

const consumer = 'stamping.chain';

export type ChainDependencies = {
  readonly database: Database;
  readonly chainId: number;
  readonly operator: Hex;
  readonly confirmation: ConfirmationDepth;
  readonly tracing: Tracing;
};

/** Logs that end a transaction; a block with many comes in parts. */
const someLogs = 250;

/** Splits messages, in order, into transactions of a suitable size. */
export function cutChainFacts(messages: readonly IncomingMessage[]): readonly (readonly IncomingMessage[])[] {
  const cut: IncomingMessage[][] = [[]];
  let logs = 0;
  for (const message of messages) {
    if (logs >= someLogs) {
      cut.push([]);
      logs = 0;
    }
    cut.at(-1)?.push(message);
    if (isMessage(message, BlockAppended)) logs += message.data.logs.length;
  }
  return cut;
}

/**
 * Handles the facts of this chain in order, each once (I5), and confirms, reverts and finalizes stamps. When one fact
 * causes more work than a transaction should hold, it is done in several, each leaving a state that a crash may leave.
 * Missing or contradictory facts do not stop the others (I11).
 * @param onCommitted gets the outcome of each transaction, so that nobody waits for later ones
 */
export async function handleChainFacts(
  dependencies: ChainDependencies,
  messages: readonly IncomingMessage[],
  onCommitted: (outcome: ChainOutcome) => void = () => {},
): Promise<ChainOutcome> {
  const sum = emptyOutcome();
  let facts = messages.filter(isChainFact).filter(({ data }) => data.chainId === dependencies.chainId);
  for (let unfinished = facts.length > 0; unfinished; ) {
    const { outcome, taken, left } = await decideInTransaction(dependencies.database, (client) =>
      takeSome(client, dependencies, facts),
    );
    if (left !== undefined) failpoint(`stamping.${left}-left`);
    for (const step of outcome.steps) step.end();
    onCommitted(outcome);
    addOutcome(sum, outcome);
    facts = facts.slice(taken);
    unfinished = facts.length > 0 || left !== undefined;
  }
  return sum;
}

const chainFacts = [BlockAppended, BlocksReverted, BlocksSafe, BlocksFinalized] as const;
const isChainFact = (message: IncomingMessage): message is ChainFact =>
  chainFacts.some((contract) => isMessage(message, contract));

type Some = {
  readonly outcome: ChainOutcome;
  readonly taken: number;
  /** Work left by the facts: taking blocks back, or confirming and finality. */
  readonly left: 'revert' | 'finality' | undefined;
};

/**
 * One transaction: the first facts, up to one that takes blocks back. That fact gets transactions of its own, and the
 * last of them marks it as handled; until then no other fact is handled.
 */
async function takeSome(client: Client, chain: ChainDependencies, facts: readonly ChainFact[]): Promise<Some> {
  const { chainId } = chain;
  const { unfinished, ...before } = await lockCursor(client, chainId);
  const handled = await findHandled(
    client,
    consumer,
    facts.map(({ id }) => id),
  );
  const outcome = emptyOutcome();
  const applied: string[] = [];
  let cursor: Cursor = before;
  let taken = 0;
  for (const fact of facts) {
    const step = handled.has(fact.id) ? ({ kind: 'drop' } as const) : stepOf(cursor, fact);
    if (step.kind === 'revert') {
      if (taken > 0) break;
      const { stamps, done } = await revertBlocks(client, {
        chainId,
        ancestor: step.position.number,
        finalized: cursor.finalized,
      });
      outcome.reverted += stamps;
      if (!done) return { outcome, taken: 0, left: 'revert' };
      const { position, missing } = step;
      const mark = (number: number): number => Math.min(number, position.number);
      cursor = { position, safe: mark(cursor.safe), finalized: mark(cursor.finalized) };
      outcome.missing = missing;
      if (missing !== undefined) outcome.dropped++;
      applied.push(fact.id);
      taken++;
      break;
    }
    taken++;
    if (step.kind === 'missing') {
      outcome.missing = step.from;
      outcome.dropped++;
    } else if (step.kind === 'apply') {
      if (isMessage(fact, BlockAppended)) {
        await appendBlock(client, chain, fact.data, fact.traceparent, outcome);
        outcome.followed = true;
        outcome.missing = undefined;
      }
      cursor = step.cursor;
      handled.add(fact.id);
      applied.push(fact.id);
    }
  }
  const done = await confirmDeep(client, chain, { before, after: cursor, more: unfinished }, outcome);
  if (cursor !== before || done === unfinished) await saveCursor(client, chainId, { ...cursor, unfinished: !done });
  if (applied.length > 0) await claimMessages(client, consumer, applied);
  return { outcome, taken, left: done ? undefined : 'finality' };
}
