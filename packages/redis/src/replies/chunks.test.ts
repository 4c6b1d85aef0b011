import { type AddressedReply, parseReplies } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { chunkReplies } from './chunks.ts';

const addressed = (replyTo: string, requestId: string): AddressedReply => ({
  replyTo,
  reply: { requestId, kind: 'refused', refusal: { code: 'too-busy', message: '' } },
});

describe('replies on the wire', () => {
  it('are one message per gateway instance, in order', () => {
    const chunks = chunkReplies([addressed('g1', 'a'), addressed('g2', 'b'), addressed('g1', 'c')], 10_000);
    expect(chunks.map(({ replyTo, count }) => [replyTo, count])).toEqual([
      ['g1', 2],
      ['g2', 1],
    ]);
    expect(parseReplies(chunks[0]!.payload).map(({ requestId }) => requestId)).toEqual(['a', 'c']);
  });

  it('are split where a message would be over its limit', () => {
    const replies = Array.from({ length: 10 }, (_, n) => addressed('g', `request-${n}`));
    const chunks = chunkReplies(replies, 200);
    expect(chunks.length).toBeGreaterThan(1);
    expect(Math.max(...chunks.map(({ payload }) => Buffer.byteLength(payload)))).toBeLessThanOrEqual(200);
    const ids = chunks.flatMap(({ payload }) => parseReplies(payload)).map(({ requestId }) => requestId);
    expect(ids).toEqual(replies.map(({ reply }) => reply.requestId));
  });

  it.each(['', '{}', 'null', '[null, 1, {"requestId": 1}, {"requestId": "a", "kind": "newer"}]'])(
    'that are none are left out: %s',
    (payload) => {
      expect(parseReplies(payload)).toEqual([]);
    },
  );
});
