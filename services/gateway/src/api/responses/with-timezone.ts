import { UnavailableError } from '@indelible/service-runtime';

const openingBrace = 0x7b;

/** Puts the account's time zone first in the object that verification returns. */
export async function* withTimezone(
  object: AsyncIterable<Uint8Array>,
  timezone: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let begun = false;
  for await (const chunk of object) {
    if (begun || chunk.length === 0) {
      yield chunk;
      continue;
    }
    if (chunk[0] !== openingBrace) throw new UnavailableError("verification's answer is no object");
    begun = true;
    yield Buffer.from(`{"display_timezone":${JSON.stringify(timezone)},`);
    yield chunk.subarray(1);
  }
  if (!begun) throw new UnavailableError("verification's answer is empty");
}
