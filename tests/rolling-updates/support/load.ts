import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import sha3 from 'js-sha3';
import type { Receipt } from '../../e2e/support/client.ts';
import { createPatient, isOutcomeOfRepeat } from './patience.ts';
import { type Answer, type Connection, createConnection, form, json, lines } from './requests.ts';

/** What clients were told. */
export type Load = {
  /** Requests that had another answer than the contract promises for them, or none. */
  readonly failures: readonly string[];
  /** Of 201s and lines that were created. */
  readonly receipts: readonly Receipt[];
  /** Every object that was to be stamped. */
  readonly cids: readonly string[];
  /** Files that a 201 named. */
  readonly filePaths: readonly string[];
  /** Status resources of stamps that were answered 202. */
  readonly accepted: readonly string[];
  /** By kind, how many requests were answered. */
  readonly counts: Readonly<Record<string, number>>;
  /** By what went wrong, how often a patient client had to go on: a broken connection, or a 503 with Retry-After. */
  readonly setbacks: Readonly<Record<string, number>>;
  /** Look-ups that were sent again, as the contract has it for a read model that is behind: 503 with Retry-After. */
  readonly sentAgain: () => number;
  /** Begins nothing more; resolves when everything begun was answered. */
  finish(): Promise<void>;
};

type Body = {
  readonly commitment_receipt: Receipt;
  readonly file_object?: { readonly file_path: string };
  readonly stamp_list?: readonly Receipt[];
  readonly id?: string;
};

/** Between look-ups: often, so that a connection that is closed in a moment meets a request. */
const lookUpMs = 20;
const linesOfBatch = 15;
/** How often a look-up is sent again. */
const mostRepeats = 3;

const kinds = ['cid', 'file', 'batch', 'later', 'async', 'collection'] as const;

/**
 * @param url of the API, through its balancer
 * @param patient sends a request again when its connection broke or a 503 with Retry-After came, as the contract has it, and takes the
 *   answers of a repeat and of a stamp that goes on; otherwise each request has to succeed the first time
 */
export function startLoad(
  url: string,
  apiKey: string,
  {
    stamping,
    lookingUp,
    patient = false,
  }: { readonly stamping: number; readonly lookingUp: number; readonly patient?: boolean } = {
    stamping: 10,
    lookingUp: 3,
  },
): Load {
  const failures: string[] = [];
  const receipts: Receipt[] = [];
  const cids: string[] = [];
  const filePaths: string[] = [];
  const accepted: string[] = [];
  const counts: Record<string, number> = {};
  const setbacks: Record<string, number> = {};
  const note = (setback: string): void => {
    setbacks[setback] = (setbacks[setback] ?? 0) + 1;
  };
  const connect = (): Connection => {
    const connection = createConnection(url, apiKey);
    return patient ? createPatient(connection, note) : connection;
  };
  const ending = new AbortController();
  let turn = 0;
  let sentAgain = 0;

  /** @returns the answer's body; undefined, and a failure is noted, when its status is not the expected one */
  async function expectAnswer(kind: string, status: number, asked: Promise<Answer>): Promise<string | undefined> {
    const began = new Date().toISOString();
    try {
      const answer = await asked;
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (answer.location !== undefined && answer.status === 202) accepted.push(answer.location);
      if (answer.status === status) return answer.text;
      if (patient && isOutcomeOfRepeat(kind, answer)) {
        if (answer.status === 503 && answer.location !== undefined) accepted.push(answer.location);
        return undefined;
      }
      failures.push(`${began} ${kind}: ${answer.status} ${answer.text.slice(0, 300)}`);
    } catch (error) {
      failures.push(`${began} ${kind}: ${error}`);
    }
    return undefined;
  }
  /** What was just stamped is found within 2 s, or the answer says when to look again (docs/contract.md). */
  async function look(send: () => Promise<Answer>): Promise<Answer> {
    for (let repeats = 0; ; repeats++) {
      const answer = await send();
      if (answer.status !== 503 || answer.retryAfter === undefined || repeats === mostRepeats) return answer;
      sentAgain += 1;
      await delay(Number(answer.retryAfter) * 1_000);
    }
  }
  function noteReceipt(text: string | undefined, withFile: boolean): void {
    if (text === undefined) return;
    const { commitment_receipt: receipt, file_object: file } = JSON.parse(text) as Body;
    receipts.push(receipt);
    if (file !== undefined) filePaths.push(file.file_path);
    if (withFile === (file === undefined)) failures.push(`a 201 ${withFile ? 'without its' : 'with a'} file: ${text}`);
  }
  function newContent(bytes: number): { content: Buffer; cid: string } {
    const content = randomBytes(bytes);
    const cid = `0x${sha3.sha3_256(content)}`;
    cids.push(cid);
    return { content, cid };
  }

  async function stamp(kind: 'cid' | 'file', { send }: Connection): Promise<void> {
    const { content, cid } = newContent(10_000);
    const body =
      kind === 'file' ? await form({}, content) : await form({ data_cid: cid, collection_name: `Rolling ${turn % 7}` });
    noteReceipt(await expectAnswer(kind, 201, send('POST', 'stamps', body)), kind === 'file');
  }
  async function stampBatch({ send }: Connection): Promise<void> {
    const batch = Array.from({ length: linesOfBatch }, () => ({
      data_cid: newContent(32).cid,
      collection_name: 'Lines',
    }));
    const text = await expectAnswer('batch', 200, send('POST', 'stamps/batch', lines(batch)));
    const results = (text ?? '').split('\n').filter((line) => line !== '');
    if (text !== undefined && results.length !== batch.length)
      failures.push(`a batch answered ${results.length} lines`);
    for (const line of results) {
      const { status, commitment_receipt: receipt } = JSON.parse(line) as Body & { status: string };
      if (status === 'created') receipts.push(receipt);
      else if (!(patient && ['repeated', 'pending'].includes(status))) failures.push(`a line: ${line}`);
    }
  }
  async function uploadLater({ send }: Connection): Promise<void> {
    const { content, cid } = newContent(5_000);
    const fields = { collection_name: 'Uploads' };
    const stamped = await form({ ...fields, data_cid: cid, store_stamped_file: 'false' });
    const text = await expectAnswer('cid', 201, send('POST', 'stamps', stamped));
    noteReceipt(text, false);
    if (text === undefined) return;
    const body = await form(fields, content);
    const uploaded = await expectAnswer(
      'later',
      201,
      look(() => send('POST', 'stamps/upload-stamped-file', body)),
    );
    if (uploaded !== undefined) filePaths.push(String((JSON.parse(uploaded) as Body).file_object?.file_path));
  }
  async function stampAsync({ send }: Connection): Promise<void> {
    const body = await form({ data_cid: newContent(32).cid });
    await expectAnswer('async', 202, send('POST', 'stamps', body, { Prefer: 'respond-async' }));
  }
  async function createCollection({ send }: Connection): Promise<void> {
    const name = `Collection ${randomBytes(6).toString('hex')}`;
    await expectAnswer('collection', 201, send('POST', 'collections', json({ name })));
  }

  /** What was stamped is found at once by everyone (I9), and other look-ups between. */
  async function lookUp({ send }: Connection): Promise<void> {
    const receipt = receipts[receipts.length - 1 - Math.floor(Math.random() * Math.min(20, receipts.length))];
    if (receipt === undefined) return;
    const cids = json({ cids: [receipt.object_cid] });
    const text = await expectAnswer(
      'verify',
      200,
      look(() => send('POST', 'stamps/verify', cids)),
    );
    const found = text === undefined ? undefined : (JSON.parse(text) as Body).stamp_list?.length;
    if (text !== undefined && found !== 1) failures.push(`verify found ${found} of ${receipt.object_cid}`);
    await expectAnswer('events', 200, send('GET', 'events?wait=0&limit=5'));
    await expectAnswer('me', 200, send('GET', 'users/me'));
  }

  const work = {
    cid: (connection: Connection) => stamp('cid', connection),
    file: (connection: Connection) => stamp('file', connection),
    batch: stampBatch,
    later: uploadLater,
    async: stampAsync,
    collection: createCollection,
  };
  async function stampOn(): Promise<void> {
    const connection = connect();
    while (!ending.signal.aborted) await work[kinds[turn++ % kinds.length] as keyof typeof work](connection);
    connection.close();
  }
  async function lookUpOn(): Promise<void> {
    const connection = connect();
    while (!ending.signal.aborted) {
      await lookUp(connection);
      await delay(lookUpMs);
    }
    connection.close();
  }
  const working = Promise.all([
    ...Array.from({ length: stamping }, stampOn),
    ...Array.from({ length: lookingUp }, lookUpOn),
  ]);
  working.catch(() => {});
  return {
    failures,
    receipts,
    cids,
    filePaths,
    accepted,
    counts,
    setbacks,
    sentAgain: () => sentAgain,
    async finish() {
      ending.abort();
      await working;
    },
  };
}
