import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Target } from './jobs.ts';

/** Sends a body at the pace it is taken, and gives the answer as soon as it begins; the answer is to be read. */
export async function send(
  { rootUrl, apiKey }: Target,
  path: string,
  headers: Readonly<Record<string, string | number>>,
  body: Iterable<Buffer>,
): Promise<IncomingMessage> {
  const outgoing = request(new URL(path, rootUrl), {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${apiKey}` },
    agent: false,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  const sent = pipeline(Readable.from(body, { highWaterMark: 1 }), outgoing);
  // Refused in mid-body: the answer tells more than the broken pipe.
  sent.catch(() => {});
  const answer = await answered;
  if (answer.statusCode !== undefined && answer.statusCode < 300) await sent;
  return answer;
}
