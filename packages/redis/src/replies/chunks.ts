import type { AddressedReply } from '@indelible/messages';

export type Chunk = { readonly replyTo: string; readonly payload: string; readonly count: number };

/** One message per instance, or several when it would be larger than the limit; the order per instance is kept. */
export const chunkReplies = (replies: readonly AddressedReply[], maxBytes: number): Chunk[] => {
  const chunks: Chunk[] = [];
  const open = new Map<string, { parts: string[]; bytes: number }>();
  const close = (replyTo: string, parts: readonly string[]) =>
    chunks.push({ replyTo, payload: `[${parts.join(',')}]`, count: parts.length });
  for (const { replyTo, reply } of replies) {
    const part = JSON.stringify(reply);
    const bytes = Buffer.byteLength(part) + 1;
    let current = open.get(replyTo);
    if (current !== undefined && current.bytes + bytes > maxBytes) {
      close(replyTo, current.parts);
      current = undefined;
    }
    if (current === undefined) {
      current = { parts: [], bytes: 2 };
      open.set(replyTo, current);
    }
    current.parts.push(part);
    current.bytes += bytes;
  }
  for (const [replyTo, { parts }] of open) close(replyTo, parts);
  return chunks;
};
