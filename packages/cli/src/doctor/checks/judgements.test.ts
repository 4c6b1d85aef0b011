import { type Hex, newId } from '@indelible/identifiers';
import { type LoggedEvent, toLogBody } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import { faultOfContent } from '../decisions/compare-content.ts';
import { judgeCursor } from './cursors.ts';
import { judgeLane } from './lanes.ts';
import { judgeCounters, judgeLogRow } from './public-events.ts';
import { isSuspect, judgeStampEvents } from './stamp-events.ts';
import { judgeStamp } from './stamps.ts';
import { judgeStorageStamp } from './storage-stamps.ts';

const whats = (found: readonly { readonly what: string }[]): readonly string[] => found.map(({ what }) => what);
const word = (digit: string): Hex => `0x${digit.repeat(64)}`;

describe('a stamp and its batch', () => {
  const row = { id: 's', status: 'confirmed', age: 10, batch_status: 'included', is_of_batch: true };
  const judge = (changes: object) => whats(judgeStamp({ ...row, ...changes }, 900));

  it('agree', () => {
    for (const batch_status of ['included', 'finalized']) expect(judge({ batch_status })).toEqual([]);
    for (const batch_status of ['signed', 'included']) expect(judge({ status: 'submitted', batch_status })).toEqual([]);
    expect(judge({ status: 'requested', batch_status: null })).toEqual([]);
    expect(judge({ status: 'failed', batch_status: 'reverted', age: 1e9 })).toEqual([]);
  });

  it.each([
    [{ batch_status: 'signed' }, 'is confirmed, and its batch is signed'],
    [{ batch_status: null }, 'is confirmed, and its batch is not known'],
    [{ is_of_batch: false }, 'is confirmed in another block or transaction than its batch'],
    [{ status: 'submitted', batch_status: null }, 'does not wait for a batch, and is in none'],
    [{ status: 'submitted', batch_status: 'signed', age: 901 }, 'is submitted, 901 s after the request'],
    [{ status: 'requested', age: 901 }, 'is requested, 901 s after the request'],
    [{ status: 'included', age: 901 }, 'is included, 901 s after the request'],
  ])('differ by %j (I1, I6)', (changes, what) => {
    expect(judge(changes)).toEqual([what]);
  });
});

describe('a cursor', () => {
  const row = { who: 'stamping' as const, number: 7, hash: word('7'), finalized: 3, next_age: null };
  const judge = (changes: object, canonical: Hex | undefined = word('7'), age: number | null = null, indexer = 9) =>
    whats(judgeCursor({ ...row, ...changes }, canonical, { number: indexer }, age, 60));

  it('agrees with the chain while the next block is young', () => {
    expect(judge({}, word('7'), 59)).toEqual([]);
    expect(judge({ finalized: null })).toEqual([]);
  });

  it('differs by its hash, its place, what it takes for final, and by standing', () => {
    expect(judge({ hash: word('8') })).toEqual([`block 7 is ${word('7')} on the chain, and ${word('8')} here`]);
    expect(judgeCursor(row, undefined, undefined, null, 60)).toHaveLength(1);
    expect(judge({ finalized: 8 })).toEqual(['block 8 counts as final, which is above the cursor (7)']);
    expect(judge({}, word('7'), null, 6)).toEqual(['it is at block 7, ahead of the chain-indexer (6)']);
    expect(judge({}, word('7'), 61)).toEqual(['it is at block 7, though the next one is 61 s old']);
  });
});

describe('a lane', () => {
  it('agrees while the chain has what is stored, or less', () => {
    const lane = { lane: word('1'), next: 5, highest: 4, draining: false };
    for (const count of [0, 4, 5, undefined]) expect(judgeLane(lane, count)).toEqual([]);
    expect(judgeLane({ ...lane, highest: null }, 5)).toEqual([]);
    // Drained: its last nonce moved its remaining funds.
    expect(judgeLane({ ...lane, next: 6, draining: true }, 6)).toEqual([]);
  });

  it('differs by a transaction that is not stored, and by a batch that is missing (I3)', () => {
    expect(whats(judgeLane({ lane: word('1'), next: 5, highest: 3, draining: false }, 6))).toEqual([
      'has sent 6 transactions, only those below nonce 5 are stored',
      'its next nonce is 5, its last batch has 3',
    ]);
  });
});

describe('a stamp and its last event', () => {
  const row = { id: 's', status: 'requested', version: 1, receipt: null };
  const judge = (changes: object, ...types: string[]) =>
    whats(
      judgeStampEvents(
        { ...row, ...changes },
        types.map((type, i) => ({ version: i + 1, type, receipt: null })),
      ),
    );

  it('agree, also with an event of a later version of the service', () => {
    for (const status of ['requested', 'included'])
      for (const type of ['StampRequested', 'StampReverted']) expect(judge({ status }, type)).toEqual([]);
    expect(judge({ status: 'failed', version: 2 }, 'StampRequested', 'StampFailed')).toEqual([]);
    expect(judge({}, 'StampDelayed')).toEqual([]);
  });

  it('differ by version, by a gap, by status', () => {
    expect(judge({ version: 2 }, 'StampRequested')).toEqual(['is at version 2, its events end with 1']);
    expect(judge({})).toEqual(['is at version 1, its events end with none']);
    expect(judge({ status: 'confirmed' }, 'StampRequested')).toEqual([
      'is confirmed, its last event is StampRequested',
    ]);
    const last = { version: 3, type: 'StampConfirmed', receipt: null };
    expect(whats(judgeStampEvents({ ...row, status: 'confirmed', version: 3 }, [last]))).toEqual([
      'the event of version 1 is missing',
      'the event of version 2 is missing',
    ]);
    expect(whats(judgeStampEvents(undefined, [{ ...last, version: 1 }]))).toEqual([
      'its StampConfirmed names a stamp that is not in stamping.stamps',
    ]);
  });

  it('differ by an event that is stored twice, in two rows (I5)', () => {
    const twice = { version: 1, type: 'StampRequested', receipt: null };
    expect(whats(judgeStampEvents(row, [twice, twice]))).toEqual(['the event of version 1 is stored more than once']);
  });
});

describe('a stamp and its events in rows of their own', () => {
  const row = { id: 's', status: 'confirmed', version: 2, receipt: null };
  const event = (version: number, type: string) => ({ version, type, receipt: null });

  it('agree without the last, which may be in a row with others', () => {
    expect(isSuspect(row, [])).toBe(false);
    expect(isSuspect(row, [event(1, 'StampRequested')])).toBe(false);
  });

  it('are suspect by an event that the stamp knows nothing of, or a last one of another status (I4)', () => {
    expect(isSuspect(row, [event(3, 'StampReverted')])).toBe(true);
    expect(isSuspect(row, [event(2, 'StampReverted')])).toBe(true);
  });
});

describe('a stamp and its record in storage', () => {
  const receipt = {
    transactionHash: word('d'),
    logIndex: 1,
    blockNumber: 7,
    blockHash: word('b'),
    blockTime: 1_000,
    chainId: 1,
    account: word('a'),
    setCid: word('5'),
    objectCid: word('6'),
  };
  const row = { status: 'confirmed', has_content: true, receipt, is_settled: true, on_chain: true, stored: receipt };
  const judge = (changes: object) => judgeStorageStamp({ ...row, ...changes });

  it('agree, also a record of a former version without hashes, and one on its way', () => {
    expect(judge({})).toBeUndefined();
    expect(judge({ stored: { ...receipt, transactionHash: null, blockHash: null } })).toBeUndefined();
    expect(judge({ on_chain: null, is_settled: false })).toBeUndefined();
    expect(judge({ status: 'requested', receipt: null, on_chain: false })).toBeUndefined();
  });

  it('differ (I4)', () => {
    expect(judge({ on_chain: null })).toBe('is confirmed, storage does not know it');
    expect(judge({ on_chain: false })).toBe('is confirmed, storage has it as not on the chain');
    expect(judge({ stored: { ...receipt, blockTime: 1_001 } })).toBe('storage has another blockTime of it');
    expect(judge({ status: 'requested' })).toBe('is requested, storage has it as on the chain');
  });

  it('of a stamp without content is there when its content came later, and stays as it was then', () => {
    const plain = (changes: object) => judge({ has_content: false, ...changes });
    expect(plain({ on_chain: null })).toBeUndefined();
    expect(plain({ stored: { ...receipt, blockNumber: 6, blockHash: word('c') } })).toBeUndefined();
    expect(plain({ on_chain: false })).toBeUndefined();
    expect(plain({ stored: { ...receipt, objectCid: word('7') } })).toBe('storage has another objectCid of it');
  });
});

describe('a stored file', () => {
  const recorded = { size: 3, crc32c: 0xab, objectCid: word('6') };

  it('is as recorded', () => {
    expect(faultOfContent(recorded, { size: 3, crc32c: 0xab })).toBeUndefined();
    expect(faultOfContent(recorded, { size: 3, crc32c: 0xab, sha3: word('6') })).toBeUndefined();
  });

  it('differs by existence, size, checksum, hash, in this order', () => {
    expect(faultOfContent(recorded, undefined)).toBe('is not in the blob store');
    expect(faultOfContent(recorded, { size: 2 })).toBe('has 2 bytes in the blob store instead of 3');
    expect(faultOfContent(recorded, { size: 3, crc32c: 1 })).toBe(
      'has CRC32C 00000001 in the blob store instead of 000000ab',
    );
    expect(faultOfContent(recorded, { size: 3, crc32c: 0xab, sha3: word('7') })).toMatch(/^has SHA3-256 0x7/);
  });
});

/** A row of events of one collection with these numbers. */
const logRow = (sequences: readonly number[]) => ({
  follows: true,
  events_count: sequences.length,
  events: JSON.parse(
    toLogBody(
      sequences.map(
        (sequence): LoggedEvent => ({
          ...{ id: newId(), name: 'stamp.confirmed', version: 1, subject: 'a', time: '2026-01-01T00:00:00.000Z' },
          ...{ sequence, data: { set_cid: word('5') } },
        }),
      ),
    ),
  ),
});

describe('the log of public events', () => {
  it('agrees with itself and its counters, also of an account without events', () => {
    expect(judgeLogRow(logRow([1, 2, 3]))).toBeUndefined();
    expect(judgeLogRow(logRow([1, 2, 3, 4, 5]))).toBeUndefined();
    expect(judgeCounters({ position: 7, last: 7, sequences: 7 })).toBeUndefined();
    expect(judgeCounters({ position: 0, last: 0, sequences: 0 })).toBeUndefined();
  });

  it('differs by a gap, by a count, and by a sequence (I5)', () => {
    for (const row of [logRow([4, 5, 6]), logRow([4, 5, 6, 7])]) {
      expect(judgeLogRow({ ...row, follows: false })).toMatch('events before it are missing');
      expect(judgeLogRow({ ...row, events_count: 5 })).toMatch('not as many events as it says');
    }
    for (const sequences of [
      [4, 5, 7],
      [4, 5, 7, 8],
    ])
      expect(judgeLogRow(logRow(sequences))).toMatch('whose sequence has a gap');
    expect(judgeLogRow({ ...logRow([1]), events: { kinds: [{ events: 1, of: {} }] } })).toMatch('cannot be read');
    expect(judgeCounters({ position: 7, last: 6, sequences: 6 })).toBe('is at position 7, its log ends with 6');
    expect(judgeCounters({ position: 7, last: 7, sequences: 8 })).toBe('has 7 events, its sequences count 8');
  });
});
