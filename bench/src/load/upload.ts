import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Target } from './stamp-request.ts';

const boundary = '----------------------------indelible-bench';
const blockBytes = 2 ** 20;

/** Content that is made as it is read: the same for the same seed. */
export type Content = { readonly seed: string; readonly size: number };
export type UploadJob = Target &
  Content & {
    readonly path: string;
    readonly fields: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
  };
/** Seconds count from the first byte to the end of the answer. */
export type UploadOutcome = {
  readonly seconds: number;
  readonly status: number;
  readonly location: string | null;
  readonly body: unknown;
};

function* contentOf({ seed, size }: Content): Generator<Buffer, void, undefined> {
  // Random: repetitive content would hide costs that depend on it.
  const block = createHash('shake256', { outputLength: blockBytes }).update(seed).digest();
  for (let at = 0; at < size; at += blockBytes) {
    // A copy: the writer may still hold it when the next is made.
    const bytes = Buffer.from(block.subarray(0, Math.min(blockBytes, size - at)));
    if (bytes.length >= 8) bytes.writeDoubleLE(at, 0);
    yield bytes;
  }
}

/** Sends generated content as the file of a form. */
export async function uploadContent(job: UploadJob): Promise<UploadOutcome> {
  const fields = Object.entries(job.fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="content.bin"\r\n`;
  const head = Buffer.from(`${fields.join('')}${file}Content-Type: application/octet-stream\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  function* form(): Generator<Buffer, void, undefined> {
    yield head;
    yield* contentOf(job);
    yield tail;
  }
  const began = performance.now();
  const outgoing = request(new URL(job.path, job.rootUrl), {
    ...{ method: 'POST', agent: false },
    headers: {
      ...{ ...job.headers, authorization: `Bearer ${job.apiKey}` },
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + job.size + tail.length,
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  const sent = pipeline(Readable.from(form(), { highWaterMark: 1 }), outgoing);
  // Refused in mid-body: the answer says more than the broken pipe.
  sent.catch(() => {});
  const answer = await answered;
  if (answer.statusCode !== undefined && answer.statusCode < 300) await sent;
  const body: unknown = await json(answer);
  const { location = null } = answer.headers;
  return { seconds: (performance.now() - began) / 1_000, status: answer.statusCode ?? 0, location, body };
}

/** Hashes content as it is generated, with node's SHA3-256: the baseline of an upload. */
export async function hashContent(content: Content): Promise<{ readonly seconds: number; readonly cid: string }> {
  const hash = createHash('sha3-256');
  const began = performance.now();
  for (const chunk of contentOf(content)) hash.update(chunk);
  return { cid: `0x${hash.digest('hex')}`, seconds: (performance.now() - began) / 1_000 };
}
