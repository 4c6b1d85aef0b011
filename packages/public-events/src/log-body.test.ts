import { ColumnError } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoggedEvent } from './cloud-event.ts';
import { fromLogBody, toLogBody } from './log-body.ts';
import { sampleReceipt, sampleStamp } from './samples.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const event = fc
  .record({
    id: fc.uuid(),
    stampId: fc.uuid(),
    objectCid: hash,
    sequence: fc.integer({ min: 1 }),
    kind: fc.constantFrom('stamp.submitted', 'stamp.confirmed', 'file.stored'),
    traced: fc.boolean(),
    text: fc.string(),
  })
  .map(({ id, stampId, objectCid, sequence, kind, traced, text }): LoggedEvent => {
    const stamp = { ...sampleStamp, stamp_id: stampId, object_cid: objectCid };
    const more = {
      'stamp.submitted': {},
      'stamp.confirmed': { commitment_receipt: { ...sampleReceipt, object_cid: objectCid } },
      'file.stored': { file_object: { file_name: text, file_path: `b/${text}` } },
    }[kind];
    return {
      ...{ id, name: kind as LoggedEvent['name'], version: 1, subject: stampId, time: '2026-11-21T04:10:08.123Z' },
      ...(traced ? { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } : {}),
      data: { ...stamp, ...more },
      sequence,
    };
  });
const events = fc.array(event, { minLength: 1, maxLength: 40 });
const read = (json: string) => fromLogBody(JSON.parse(json));

describe('a row of the log', () => {
  it('has the same events, in their order, of several kinds as well', () => {
    fc.assert(fc.property(events, (events) => expect(read(toLogBody(events))).toEqual(events)));
  });

  it('gives public records the same text, field by field', () => {
    fc.assert(
      fc.property(events, (events) => {
        const texts = (of: readonly LoggedEvent[]) => of.map(({ data }) => JSON.stringify(data));
        expect(texts(read(toLogBody(events)))).toEqual(texts(events));
      }),
    );
  });

  it('has an id and a hash of each event once, and what events have in common once', () => {
    const [first] = fc.sample(event, 1) as [LoggedEvent];
    const many = fc.sample(fc.tuple(fc.uuid(), fc.uuid(), hash), 100).map(([id, stampId, objectCid], sequence) => ({
      ...{ ...first, id, name: 'stamp.confirmed' as const, subject: stampId, sequence },
      data: {
        ...{ ...sampleStamp, stamp_id: stampId, object_cid: objectCid },
        commitment_receipt: { ...sampleReceipt, object_cid: objectCid, log_index: sequence },
      },
    }));
    expect(toLogBody(many).length / many.length).toBeLessThan(125);
    expect(read(toLogBody(many))).toEqual(many);
  });

  it('is a list of few events; a list of many, as release 0.1.0 wrote it, is read as well (I8)', () => {
    const many = fc.sample(event, 10);
    expect(JSON.parse(toLogBody(many.slice(0, 3)))).toEqual(many.slice(0, 3));
    expect(JSON.parse(toLogBody(many))).not.toBeInstanceOf(Array);
    expect(read(JSON.stringify(many))).toEqual(many);
  });

  it.each([1, 2])(
    'is a list where events have %s long texts in common, so that bounds by its length hold (I12)',
    (texts) => {
      const [one] = fc.sample(event, 1) as [LoggedEvent];
      const many = Array.from({ length: 10 }, (_, at) => ({
        ...one,
        data: { ...one.data, description: String(at % texts).repeat(1_001) },
      }));
      expect(JSON.parse(toLogBody(many))).toEqual(many);
    },
  );

  it.each([
    ['no columns', {}],
    ['too few events', { kinds: [{ events: 1, of: { of: { id: { each: ['a'] } } } }], order: [0, 0] }],
    ['events of no kind', { kinds: [], order: [3] }],
    ['a column that is like none', { kinds: [{ events: 1, of: { of: { id: { like: 0 } } } }] }],
  ])('that has %s cannot be read', (_, body) => {
    expect(() => fromLogBody(body)).toThrow(ColumnError);
  });
});
