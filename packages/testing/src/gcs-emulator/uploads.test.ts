import { describe, expect, it } from '@jest/globals';
import { Objects, Room } from './objects.ts';
import { type Upload, Uploads } from './uploads.ts';

const upload = (name: string): Upload => ({
  ...{ bucket: 'bucket', name, conditions: new URLSearchParams(), contentType: 'text/plain', length: undefined },
  claims: { described: {}, checksums: {} },
});
const MEBIBYTE = 1024 * 1024;
const refused = (status: number) => expect.objectContaining({ status });

function emulator(bytes: number): { objects: Objects; uploads: Uploads } {
  const room = new Room(bytes);
  const objects = new Objects(room);
  objects.createBucket('bucket');
  return { objects, uploads: new Uploads(objects, room) };
}

describe('the room of the emulator', () => {
  it('is bounded, and comes back when content goes', () => {
    const { objects, uploads } = emulator(3 * MEBIBYTE);
    const send = (content: Buffer, range: string) => uploads.send(id, 'bucket', content, { range, hash: undefined });
    const id = uploads.begin(upload('one'));
    send(Buffer.alloc(MEBIBYTE), `bytes 0-${MEBIBYTE - 1}/*`);
    send(Buffer.alloc(MEBIBYTE), `bytes ${MEBIBYTE}-${2 * MEBIBYTE - 1}/${2 * MEBIBYTE}`);
    const place = { bucket: 'bucket', name: 'two', conditions: new URLSearchParams() };
    const put = () => objects.put(place, Buffer.alloc(MEBIBYTE), { contentType: 'text/plain', metadata: undefined });
    expect(put).toThrow(refused(413));
    expect(objects.find('bucket', 'two')).toBeUndefined();
    objects.delete(objects.get('bucket', 'one'));
    put();
    // Replacing gives back what it replaces.
    for (let i = 0; i < 10; i++) put();
    expect(objects.get('bucket', 'two').content.length).toBe(MEBIBYTE);
  });

  it('is given back by uploads that are given up, or refused at their end', () => {
    const { uploads } = emulator(3 * MEBIBYTE);
    for (let i = 0; i < 5; i++) {
      const id = uploads.begin(upload('one'));
      uploads.send(id, 'bucket', Buffer.alloc(2 * MEBIBYTE), {
        range: `bytes 0-${2 * MEBIBYTE - 1}/*`,
        hash: undefined,
      });
      if (i % 2 === 0) uploads.cancel(id, 'bucket');
      else
        expect(() =>
          uploads.send(id, 'bucket', Buffer.alloc(0), { range: `bytes */${2 * MEBIBYTE}`, hash: 'crc32c=AAAAAA==' }),
        ).toThrow(refused(400));
    }
    expect(() => uploads.begin(upload('one'))).not.toThrow();
  });

  it('is not used up by uploads that nobody ends: the oldest is forgotten', () => {
    const { uploads } = emulator(8 * MEBIBYTE);
    const ids = Array.from({ length: 5_000 }, () => uploads.begin(upload('one')));
    const ask = (id: string) => uploads.send(id, 'bucket', Buffer.alloc(0), { range: 'bytes */*', hash: undefined });
    expect(() => ask(ids[0] ?? '')).toThrow(refused(404));
    expect(ask(ids.at(-1) ?? '')).toMatchObject({ received: 0 });
  });
});
