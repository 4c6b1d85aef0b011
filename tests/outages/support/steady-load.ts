import { randomBytes } from 'node:crypto';
import sha3 from 'js-sha3';
import type { Receipt } from '../../e2e/support/client.ts';
import type { PatientClient, Seen } from './patient-client.ts';

/** One identity that was asked for, and everything its client was told of it. */
export type Asked = {
  readonly objectCid: string;
  readonly collection: string | undefined;
  readonly content: Buffer | undefined;
  readonly receipts: Receipt[];
  readonly filePaths: string[];
  done: boolean;
};

export type SteadyLoad = {
  readonly asked: readonly Asked[];
  /** Identities stamped so far. */
  done(): number;
  /** Begins nothing more; resolves when everything begun has ended. */
  finish(): Promise<void>;
};

export const cidOf = (content: Buffer): string => `0x${sha3.sha3_256(content)}`;

const kinds = ['cid', 'file', 'async', 'verify', 'repeat'] as const;

/** Clients that stamp one after the other: CIDs, files that are stored, respond-async, repeats, and look-ups between. */
export function startSteadyLoad(client: PatientClient, clients: number): SteadyLoad {
  const asked: Asked[] = [];
  const ending = new AbortController();
  const giveUp = new AbortController();
  let turn = 0;

  const note = (one: Asked, answer: Seen): void => {
    const { commitment_receipt: receipt, file_object: file } = answer.body;
    if (receipt !== undefined) one.receipts.push(receipt);
    if (file !== undefined) one.filePaths.push(file.file_path);
    if (answer.what === 'status' && answer.body.status === 'failed')
      client.violations.push(`${one.objectCid} failed: ${answer.body.error}`);
  };

  async function stamp(kind: 'cid' | 'file' | 'async'): Promise<void> {
    const content = randomBytes(kind === 'file' ? 20_000 : 32);
    const one: Asked = {
      objectCid: cidOf(content),
      collection: kind === 'cid' ? 'Outage' : undefined,
      content: kind === 'file' ? content : undefined,
      receipts: [],
      filePaths: [],
      done: false,
    };
    asked.push(one);
    const fields: Record<string, string | Blob> =
      kind === 'file'
        ? { file: new Blob([new Uint8Array(content)]) }
        : { data_cid: one.objectCid, store_stamped_file: 'false' };
    if (one.collection !== undefined) fields.collection_name = one.collection;
    const answer = await client.stamp(fields, {
      respondAsync: kind === 'async',
      withFile: kind === 'file',
      signal: giveUp.signal,
    });
    note(one, answer);
    one.done = true;
  }

  /** What a client was told it finds at once (I9), and what it asks for again is what it was told. */
  async function look(kind: 'verify' | 'repeat'): Promise<void> {
    const earlier = asked.findLast(({ done }) => done);
    if (earlier === undefined) return;
    const before = earlier.receipts.length;
    if (kind === 'verify') {
      const { body } = await client.verify([earlier.objectCid], giveUp.signal);
      if (body.stamp_list?.length !== 1)
        client.violations.push(`verify found ${body.stamp_list?.length} of ${earlier.objectCid}, told of ${before}`);
      return;
    }
    const fields: Record<string, string> = { data_cid: earlier.objectCid, store_stamped_file: 'false' };
    if (earlier.collection !== undefined) fields.collection_name = earlier.collection;
    const answer = await client.stamp(fields, { respondAsync: false, withFile: false, signal: giveUp.signal });
    if (answer.status === 201) client.violations.push(`${earlier.objectCid} was stamped a second time`);
    note(earlier, answer);
  }

  async function work(): Promise<void> {
    while (!ending.signal.aborted) {
      const kind = kinds[turn++ % kinds.length] as (typeof kinds)[number];
      if (kind === 'verify' || kind === 'repeat') await look(kind);
      else await stamp(kind);
    }
  }
  const working = Array.from({ length: clients }, work);
  for (const one of working) one.catch(() => undefined);

  return {
    asked,
    done: () => asked.filter(({ done }) => done).length,
    async finish() {
      ending.abort();
      const timer = setTimeout(() => giveUp.abort(new Error('stamps did not end in 60 s')), 60_000);
      try {
        await Promise.all(working);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
