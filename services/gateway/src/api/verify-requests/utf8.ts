import { HttpError } from '../../errors/http-error.ts';

/** Hands the bytes on as they are, as long as they are UTF-8. @throws HttpError 400 */
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
