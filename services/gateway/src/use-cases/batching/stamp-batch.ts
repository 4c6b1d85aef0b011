import { setImmediate as turn } from 'node:timers/promises';
import { ClientGoneError, invalid } from '../../errors/http-error.ts';
import { createAnswerQueue } from './answer-queue.ts';
import type { BatchPorts, BatchRequest } from './ports.ts';
import { createLines } from './take-lines.ts';

/** Written to the connection at once; more only when the client has taken it. */
const burstCharacters = 64 * 1024;

/**
 * Stamps the lines of a batch as they arrive, and yields their results in order, several at a time. Reading stops while
 * the window of lines in flight is full, so that neither a slow chain nor a client that does not read fills the memory.
 * However the iteration ends, submitted lines continue.
 * @throws HttpError before the first result, when another service is unavailable for the first line, or no line can be
 *   read; ClientGoneError
 */
export async function* stampBatch(ports: BatchPorts, request: BatchRequest): AsyncGenerator<Buffer, void, undefined> {
  const { gone } = request;
  const queue = createAnswerQueue();
  const share = ports.window.join(request.account);
  const lines = createLines(ports, request, queue, share);
  const over = new AbortController();
  // Also while a burst waits for a client that has disconnected.
  const end = (): void => {
    gone.removeEventListener('abort', end);
    over.abort(new ClientGoneError('the client went away'));
    lines.stop();
    share.leave();
    queue.abandon();
  };
  gone.addEventListener('abort', end, { once: true });
  if (gone.aborted) end();
  void lines.read(over.signal).then(queue.close);
  let begun = false;
  let newestBlock = 0;
  try {
    for (;;) {
      await queue.untilReady();
      // Lines with results at the same time are sent together.
      await turn();
      if (gone.aborted) throw over.signal.reason;
      if (!begun) {
        const first = queue.first();
        if (first === undefined) throw invalid('body', 'holds no line');
        if (first.answer?.refusesWhole !== undefined) throw first.answer.refusesWhole;
        begun = true;
      }
      const burst = queue.take(burstCharacters);
      if (burst.text === '') return;
      if (burst.newestBlock > newestBlock) {
        newestBlock = burst.newestBlock;
        await ports.newestBlocks.note(request.account, newestBlock);
      }
      ports.observations.linesAnswered(burst.statuses);
      yield Buffer.from(burst.text);
      share.give(burst.lines);
    }
  } finally {
    end();
  }
}
