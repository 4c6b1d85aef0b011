import { HttpError } from '../../errors/http-error.ts';

/** Passes the bytes through while they are UTF-8. @throws HttpError 400 */
export async function* requireUtf8Bytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk?: Buffer): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new HttpError(400, 'the body is not valid UTF-8');
    }
  };
  for await (const chunk of chunks) {
    check(chunk);
    yield chunk;
  }
  check();
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * Passes the bytes through without one leading byte order mark, however it is cut; an incomplete mark is dropped too.
 */
export async function* skipByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let skipped = 0;
  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length && skipped < byteOrderMark.length && chunk[at] === byteOrderMark[skipped]) {
      at++;
      skipped++;
    }
    if (at === chunk.length) continue;
    skipped = byteOrderMark.length;
    yield chunk.subarray(at);
  }
}
