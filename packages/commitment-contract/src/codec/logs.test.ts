import type { Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import { Interface } from 'ethers';
import fc from 'fast-check';
import { MalformedAnswerError } from '../errors.ts';
import { commitmentServiceAbi, eventTopics } from '../generated/commitment-service.ts';
import { type ContractEvent, type ContractLog, decodeContractLog } from './logs.ts';

const oracle = new Interface(commitmentServiceAbi);
const user: Hex = `0x${'1b'.repeat(20)}`;
const delegate: Hex = `0x${'2c'.repeat(20)}`;
const setCid: Hex = `0x${'3d'.repeat(32)}`;
const objectCid: Hex = `0x${'4e'.repeat(32)}`;
const timestamp = 1_763_700_000;
const nonce = 2n ** 255n + 7n;

const events: readonly (readonly [ContractEvent, readonly unknown[]])[] = [
  [{ kind: 'AddSet', user, setCid }, [user, setCid]],
  [{ kind: 'AddObject', user, objectCid, timestamp }, [user, objectCid, timestamp]],
  [{ kind: 'AddSetObject', user, setCid, objectCid, timestamp }, [user, setCid, objectCid, timestamp]],
  [{ kind: 'Grant', user, delegate }, [user, delegate]],
  [{ kind: 'Revoke', user, delegate }, [user, delegate]],
  [{ kind: 'GrantBySignature', user, delegate, nonce }, [user, delegate, nonce]],
  [{ kind: 'RevokeBySignature', user, delegate, nonce }, [user, delegate, nonce]],
  [{ kind: 'LaneAdded', operator: user, lane: delegate }, [user, delegate]],
  [{ kind: 'LaneRemoved', operator: user, lane: delegate }, [user, delegate]],
];

function logOf(kind: string, values: readonly unknown[]): ContractLog {
  const { topics, data } = oracle.encodeEventLog(kind, values);
  return { topics: topics as Hex[], data: data as Hex };
}

describe('decodeContractLog', () => {
  it('knows every event of the contract', () => {
    expect(events.map(([event]) => event.kind).toSorted()).toEqual(Object.keys(eventTopics).toSorted());
  });

  it.each(events.map(([event, values]) => [event.kind, event, values] as const))(
    'reads %s as ethers writes it',
    (kind, event, values) => {
      expect(decodeContractLog(logOf(kind, values))).toEqual(event);
    },
  );

  it('answers lower-case whatever the node sends', () => {
    for (const [event, values] of events) {
      const { topics, data } = logOf(event.kind, values);
      const upper = (value: Hex): Hex => `0x${value.slice(2).toUpperCase()}`;
      expect(decodeContractLog({ topics: topics.map(upper), data: data === '0x' ? data : upper(data) })).toEqual(event);
    }
  });

  it('does not know logs of other events', () => {
    expect(decodeContractLog({ topics: [objectCid], data: '0x' })).toBeUndefined();
    expect(decodeContractLog({ topics: [], data: '0x' })).toBeUndefined();
  });

  it.each(events.map(([event, values]) => [event.kind, values] as const))(
    'refuses a %s of another shape',
    (kind, values) => {
      const { topics, data } = logOf(kind, values);
      const malformed: ContractLog[] = [
        { topics: topics.slice(0, -1), data },
        { topics: [...topics, objectCid], data },
        { topics, data: `${data}00` },
        { topics, data: data === '0x' ? objectCid : '0x' },
        { topics: [topics[0]!, objectCid, ...topics.slice(2)], data },
        { topics: [...topics.slice(0, -1), '0x12'], data },
      ];
      for (const log of malformed) expect(() => decodeContractLog(log)).toThrow(MalformedAnswerError);
    },
  );

  it('refuses a time that no block has', () => {
    const { topics } = logOf('AddObject', [user, objectCid, timestamp]);
    expect(() => decodeContractLog({ topics, data: `0x${'0'.repeat(48)}${'f'.repeat(16)}` })).toThrow(
      MalformedAnswerError,
    );
  });

  it('reads each log by itself, whatever stood in the logs before it (ethers is the oracle)', () => {
    // Few values, so that logs follow one another with some of them the same, and some logs are malformed.
    const oneOf = (bytes: number) =>
      fc.constantFrom(...['a1', 'b2', 'c3'].map((byte): Hex => `0x${byte.repeat(bytes)}`));
    const stamp = fc.record({
      kind: fc.constantFrom('AddObject', 'AddSetObject', 'AddSet'),
      user: oneOf(20),
      setCid: oneOf(32),
      objectCid: oneOf(32),
      timestamp: fc.constantFrom(0, 1, timestamp, 2 ** 52 - 1),
      malformed: fc.constantFrom(false, false, true),
      upperCase: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(stamp, { maxLength: 12 }), (stamps) => {
        for (const { kind, malformed, upperCase, ...of } of stamps) {
          const set = kind === 'AddObject' ? {} : { setCid: of.setCid };
          const object = kind === 'AddSet' ? {} : { objectCid: of.objectCid, timestamp: of.timestamp };
          const event = { kind, user: of.user, ...set, ...object };
          const log = logOf(kind, Object.values(event).slice(1));
          const cased = (text: Hex): Hex => (upperCase && text !== '0x' ? `0x${text.slice(2).toUpperCase()}` : text);
          const topics = log.topics.map(cased);
          if (malformed) {
            const [name = '0x', , ...rest] = topics;
            expect(() => decodeContractLog({ topics: [name, '0x', ...rest], data: log.data })).toThrow(
              MalformedAnswerError,
            );
          } else {
            expect(decodeContractLog({ topics, data: cased(log.data) })).toEqual(event);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
