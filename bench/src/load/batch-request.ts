import { once } from 'node:events';
import { type Agent, type IncomingMessage, request } from 'node:http';
import { type Acknowledged, freshCid, type Target } from './stamp-request.ts';

export type BatchJob = Target & {
  readonly connections: number;
  readonly linesPerBatch: number;
  /** The most lines without a result, over all connections. */
  readonly linesUnderWay: number;
};

/** Lines created and sent together. */
const linesPerChunk = 250;
/** Longer than the service waits before it responds to a line, and than a batch may be silent. */
const silentAtMostMs = 60_000;

/**
 * Sends one batch of fresh CIDs as a stream, as fast as it is read, while its results are read.
 * @param over ends the batch early, before its next chunk
 * @throws Error for another status than 200, a line that is not `created` or not the next one, and an answer that ends early
 */
export async function sendBatch(
  job: BatchJob,
  agent: Agent,
  over: AbortSignal,
  onAnswer: (line: Acknowledged) => void,
): Promise<void> {
  const mostUnderWay = Math.floor(job.linesUnderWay / job.connections);
  let answered = 0;
  let wake = (): void => {};
  const sent: { readonly cid: string; readonly dueAt: number }[] = [];
  const sending = request(new URL('/api/v1/stamps/batch', job.rootUrl), {
    ...{ method: 'POST', agent },
    headers: { authorization: `Bearer ${job.apiKey}`, 'content-type': 'application/x-ndjson' },
  });
  sending.setTimeout(silentAtMostMs, () => sending.destroy(new Error('no result: a batch is not answered in time')));
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    sending.once('response', resolve);
    sending.once('error', reject);
  });
  const read = responded.then((response) =>
    readAnswer(response, sent, (line) => {
      onAnswer(line);
      answered++;
      wake();
    }),
  );
  const failed = new AbortController();
  read.catch((error: unknown) => {
    failed.abort(error);
    wake();
    sending.destroy();
  });
  await sendLines();
  const results = await read;
  if (results !== sent.length) throw new Error(`no result: ${results} results for ${sent.length} lines`);

  async function sendLines(): Promise<void> {
    while (sent.length < job.linesPerBatch && !over.aborted && !failed.signal.aborted) {
      if (sent.length - answered >= mostUnderWay) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const dueAt = performance.now();
      let text = '';
      for (let i = 0; i < linesPerChunk && sent.length < job.linesPerBatch; i++) {
        const cid = freshCid();
        sent.push({ cid, dueAt });
        text += `{"data_cid":"${cid}"}\n`;
      }
      if (!sending.write(text)) await once(sending, 'drain', { signal: failed.signal }).catch(() => {});
    }
    sending.end();
  }
}

/** @returns how many lines were answered */
async function readAnswer(
  response: IncomingMessage,
  sent: readonly { readonly cid: string; readonly dueAt: number }[],
  onAnswer: (line: Acknowledged) => void,
): Promise<number> {
  let answered = 0;
  let begun = '';
  response.setEncoding('latin1');
  for await (const text of response as AsyncIterable<string>) {
    const lines = (begun + text).split('\n');
    begun = lines.pop() ?? '';
    if (response.statusCode !== 200) continue;
    const answeredAt = performance.now();
    for (const body of lines) {
      const line = sent[answered++];
      if (line === undefined || !body.startsWith(`{"line":${answered},"status":"created",`))
        throw new Error(`no result: line ${answered} was answered ${body.slice(0, 500)}`);
      onAnswer({ ...line, answeredAt, body });
    }
  }
  if (response.statusCode !== 200)
    throw new Error(`no result: a batch was answered ${response.statusCode} ${begun.slice(0, 500)}`);
  if (begun !== '') throw new Error(`no result: an answer ends with ${begun.slice(0, 500)}`);
  return answered;
}
