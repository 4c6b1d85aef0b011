import { seededCid, seededTimestamp } from '../system/seeded-commitments.ts';
import type { VerifyJob, VerifyOutcome } from './jobs.ts';
import { send } from './send.ts';

const boundary = '----------------------------indelible-bench';
const objectsPerChunk = 500;

export async function verifyList(job: VerifyJob): Promise<VerifyOutcome> {
  const { contentType, open, object, between, close } = formats[job.format];
  function* body(): Generator<Buffer, void, undefined> {
    yield Buffer.from(open(job.collectionName));
    for (let done = 0; done < job.objects; done += objectsPerChunk) {
      let text = '';
      for (let i = done; i < Math.min(job.objects, done + objectsPerChunk); i++)
        text += (i === 0 ? '' : between) + object(job.from + i);
      yield Buffer.from(text);
    }
    yield Buffer.from(close);
  }
  const began = performance.now();
  const answer = await send(job, '/api/v1/collections/verify', { 'content-type': contentType }, body());
  const counts = { beginning: '', matchedReceipts: 0, unmatchedObjects: 0, unmatchedReceipts: 0 };
  let list: 'matchedReceipts' | 'unmatchedObjects' | 'unmatchedReceipts' = 'matchedReceipts';
  let rest = '';
  answer.setEncoding('latin1');
  for await (const chunk of answer) {
    if (counts.beginning.length < 500) counts.beginning = (counts.beginning + chunk).slice(0, 500);
    // Objects hold no further objects, so the whole ones end with a brace; what follows it belongs to the next chunk.
    const text: string = rest + chunk;
    const end = text.lastIndexOf('}') + 1;
    for (const [found] of text.slice(0, end).matchAll(marks))
      if (found === '"unmatched_objects"') list = 'unmatchedObjects';
      else if (found === '"unmatched_receipts"') list = 'unmatchedReceipts';
      else counts[list]++;
    rest = text.slice(end);
  }
  return { seconds: (performance.now() - began) / 1_000, status: answer.statusCode ?? 0, ...counts };
}

const marks = /"unmatched_objects"|"unmatched_receipts"|\{"(?:transaction_hash|cid)"/g;

const csv = {
  open: (name: string) => `collection_name,user_address\r\n${name},\r\nt,c,f\r\n`,
  object: (i: number) => `${seededTimestamp(i)},${seededCid(i)},"file ${i}.bin"`,
  between: '\r\n',
};
const formats = {
  json: {
    contentType: 'application/json',
    open: (name: string) => `{"collection_name":${JSON.stringify(name)},"objects":[`,
    object: (i: number) => `{"cid":"${seededCid(i)}","timestamp":"${seededTimestamp(i)}","file_name":"file ${i}.bin"}`,
    between: ',',
    close: ']}',
  },
  csv: { contentType: 'text/csv', ...csv, close: '' },
  'csv file': {
    contentType: `multipart/form-data; boundary=${boundary}`,
    open: (name: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="objects.csv"\r\n` +
      `Content-Type: text/csv\r\n\r\n${csv.open(name)}`,
    object: csv.object,
    between: csv.between,
    close: `\r\n--${boundary}--\r\n`,
  },
} as const;
