import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import sha3 from 'js-sha3';
import type { StampAnswer } from './support/client.ts';
import { type RunningStack, startRunningStack } from './support/running-stack.ts';

jest.setTimeout(120_000);

let running: RunningStack;
beforeAll(async () => {
  running = await startRunningStack();
});
afterAll(() => running?.stop());

const cidOf = (content: Buffer): string => `0x${sha3.sha3_256(content)}`;
const stampByCid = (content: Buffer, collection: string, more: Record<string, string> = {}): Promise<StampAnswer> =>
  running.client.stamp({ data_cid: cidOf(content), collection_name: collection, store_stamped_file: 'false', ...more });
const upload = (content: Buffer, collection: string, name: string): Promise<StampAnswer> =>
  running.client.uploadLater({ file: new Blob([content]), collection_name: collection }, name);
const folderOf = (collection: string): string =>
  join(
    running.connection.blobDirectory,
    'objects',
    running.connection.userAddress,
    'collections',
    collection,
    'stamped',
  );

describe('a file stamped by its CID', () => {
  const content = randomBytes(50_000);
  let stamped: StampAnswer;
  let stored: StampAnswer;

  it('is uploaded at once after its 201 (I9), with the stamp’s own receipt and time, and lies there byte for byte', async () => {
    stamped = await stampByCid(content, 'Later');
    expect(stamped.status).toBe(201);
    expect(stamped.body).not.toHaveProperty('file_object');
    stored = await upload(content, 'later', 'photo.jpg');
    expect(stored.status).toBe(201);
    expect(stored.body.commitment_receipt).toEqual(stamped.body.commitment_receipt);
    const { file_name: name, file_path: path } = stored.body.file_object!;
    const time = stamped.body.commitment_receipt.timestamp.slice(0, 19).replace('T', '_').replaceAll(':', '-');
    expect(name).toBe(`photo_${time}+0000.jpg`);
    expect(path).toBe(`${running.connection.userAddress}/collections/Later/stamped/${name}`);
    expect(cidOf(await readFile(join(running.connection.blobDirectory, 'objects', path)))).toBe(cidOf(content));
  });

  it('is answered 200 with the same file when it comes again, also under another name; no copy is made', async () => {
    const answers = [await upload(content, 'Later', 'photo.jpg'), await upload(content, 'Later', 'other.png')];
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: stored.body });
    expect(await readdir(folderOf('Later'))).toHaveLength(1);
  });

  it('is a 404 in a collection that is not there, or has no stamp of it, and when its bytes are others', async () => {
    expect(await upload(content, 'Nowhere', 'photo.jpg')).toMatchObject({
      status: 404,
      body: { error: 'Collection not found' },
    });
    await running.client.createCollection({ name: 'Empty' });
    const noRecords = (of: Buffer) => ({
      status: 404,
      body: { error: `No records found for this object_cid: ${cidOf(of)}` },
    });
    expect(await upload(content, 'Empty', 'photo.jpg')).toMatchObject(noRecords(content));
    const changed = Buffer.concat([content, Buffer.from('\n')]);
    expect(await upload(changed, 'Later', 'photo.jpg')).toMatchObject(noRecords(changed));
  });

  it('has its file in the status of its stamp', async () => {
    const accepted = await fetch(`${running.connection.rootUrl}/api/v1/stamps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.connection.apiKey}`, prefer: 'respond-async' },
      body: new URLSearchParams({ data_cid: cidOf(Buffer.from('status')), collection_name: 'Later' }),
    });
    const location = accepted.headers.get('location') ?? '';
    await eventually(async () =>
      expect((await running.client.status(location)).body.status).toMatch(/confirmed|finalized/),
    );
    await eventually(async () =>
      expect((await upload(Buffer.from('status'), 'Later', 'status.txt')).status).toBeLessThan(300),
    );
    await eventually(async () =>
      expect((await running.client.status(location)).body).toMatchObject({
        file_object: { file_path: expect.stringContaining('/collections/Later/stamped/status_') },
      }),
    );
  });
});

describe('uploads of one content', () => {
  it('20 at once give one 201 and 19 × 200, all with one file (I7)', async () => {
    const content = randomBytes(3_000);
    await stampByCid(content, 'Same');
    const answers = await Promise.all(Array.from({ length: 20 }, (_value, i) => upload(content, 'Same', `${i}.bin`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await readdir(folderOf('Same'))).toHaveLength(1);
  });

  it('with several commitments store a copy for each, named by its own time; the earliest answers', async () => {
    const content = randomBytes(3_000);
    const first = await stampByCid(content, 'Several');
    const second = await stampByCid(content, 'Several', { idempotent: 'false' });
    const stored = await upload(content, 'Several', 'copy.bin');
    expect(stored).toMatchObject({ status: 201, body: { commitment_receipt: first.body.commitment_receipt } });
    const times = [first, second].map(({ body }) =>
      body.commitment_receipt.timestamp.slice(0, 19).replace('T', '_').replaceAll(':', '-'),
    );
    const names = await readdir(folderOf('Several'));
    expect(names.sort()).toEqual(times.map((time) => `copy_${time}+0000.bin`));
    expect((await upload(content, 'Several', 'again.bin')).body).toEqual(stored.body);
  });

  it('that an idempotent repeat of the stamp brings are stored for the earlier stamp', async () => {
    const content = randomBytes(3_000);
    const first = await stampByCid(content, 'Repeated');
    const again = await running.client.stamp({ file: new Blob([content]), collection_name: 'Repeated' }, 'brought.bin');
    expect(again).toEqual({ ...again, status: 200, body: { commitment_receipt: first.body.commitment_receipt } });
    await eventually(async () => expect(await readdir(folderOf('Repeated'))).toHaveLength(1));
    const later = await upload(content, 'Repeated', 'later.bin');
    expect(later.status).toBe(200);
    expect(later.body.file_object?.file_name).toMatch(/^brought_/);
  });
});
