import { json } from 'node:stream/consumers';
import { contentOf } from './content.ts';
import type { UploadJob, UploadOutcome } from './jobs.ts';
import { send } from './send.ts';

const boundary = '----------------------------indelible-bench';

export async function uploadContent(job: UploadJob): Promise<UploadOutcome> {
  const head = Buffer.from(
    Object.entries(job.fields)
      .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
      .join('') +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="content.bin"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  function* form(): Generator<Buffer, void, undefined> {
    yield head;
    yield* contentOf(job.seed, job.size);
    yield tail;
  }
  const began = performance.now();
  const headers = {
    ...job.headers,
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': head.length + job.size + tail.length,
  };
  const answer = await send(job, job.path, headers, form());
  const body: unknown = await json(answer);
  return {
    seconds: (performance.now() - began) / 1_000,
    status: answer.statusCode ?? 0,
    location: answer.headers.location ?? null,
    body,
  };
}
