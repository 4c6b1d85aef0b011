import { bytesOfHex, type Hex } from '@indelible/identifiers';
import fc from 'fast-check';
import { functionSelectors } from '../../src/index.ts';
import { cidNumber } from './chain.ts';
import { encode } from './outcome.ts';

export type RawCall = { readonly from: Hex; readonly data: Uint8Array };

const wordBytes = 32;
const selectorBytes = 4;
/** Behind the selector, two offsets and the number of runs. */
const firstRunAt = selectorBytes + 3 * wordBytes;
const runBytes = 4 * wordBytes;
/** Where widths of values end. */
const edges = [53n, 64n, 160n, 251n, 255n, 256n].flatMap((bits) => [2n ** bits - 1n, 2n ** bits % 2n ** 256n]);
/** Nobody can send from it. */
const zeroAddress: Hex = `0x${'0'.repeat(40)}`;

/**
 * Calls of every entry point: well-formed ones, well-formed ones with some words or bytes changed, and words alone.
 * @param senders everybody who has a part, and some who have none
 * @param signatures of somebody, for calls that they mostly do not fit
 * @param signed calls with the signatures they need
 */
export function rawCalls(
  senders: readonly Hex[],
  signatures: readonly Hex[],
  signed: readonly Hex[],
): fc.Arbitrary<RawCall> {
  const sender = fc.constantFrom(...senders);
  const address = fc.oneof({ weight: 20, arbitrary: sender }, fc.constant(zeroAddress));
  const setCid = fc.constantFrom(cidNumber(1), cidNumber(2), `0x${'0'.repeat(64)}` as Hex);
  const object = fc.constantFrom(...[10, 11, 12].map(cidNumber));
  const list = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 3 });
  const nonce = fc.integer({ min: 0, max: 2 });
  const signature = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...signatures) },
    fc.uint8Array({ minLength: 0, maxLength: 70 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex),
  );
  const pairs = list(fc.tuple(setCid, object));
  const triples = list(fc.tuple(address, setCid, object));
  const run = fc.tuple(address, fc.integer({ min: 0, max: 9 }), fc.boolean(), setCid);
  const column = (rows: readonly (readonly unknown[])[], at: number): unknown[] => rows.map((row) => row[at]);
  /** The runs cover the objects, so that most batches fail for their users and sets alone. */
  const batch = list(run).map((runs) => [
    runs,
    Array.from({ length: runs.reduce((sum, [, count]) => sum + count, 0) }, (_, i) => cidNumber(10 + i)),
  ]);
  const call = (name: keyof typeof functionSelectors, values: fc.Arbitrary<readonly unknown[]>) =>
    values.map((given) => bytesOfHex(encode(name, ...given)));
  const delegation = fc.tuple(fc.tuple(address, nonce), address, signature);
  const commitBatch = call('commitBatch', batch);
  const wellFormed = fc.oneof(
    { weight: 6, arbitrary: commitBatch },
    call('addSet', fc.tuple(setCid)),
    call('addObject', fc.tuple(object)),
    call('addSetObject', fc.tuple(setCid, object)),
    call('addSetObjectsBatch', fc.tuple(setCid, list(object))),
    call(
      'addSetsObjectsBatch',
      pairs.map((rows) => [column(rows, 0), column(rows, 1)]),
    ),
    call('addUserSet', fc.tuple(address, setCid)),
    call('addUserObject', fc.tuple(address, object)),
    call('addUserSetObject', fc.tuple(address, setCid, object)),
    call('addUserSetObjectsBatch', fc.tuple(address, setCid, list(object))),
    call(
      'addUserSetsObjectsBatch',
      fc.tuple(address, pairs).map(([user, rows]) => [user, column(rows, 0), column(rows, 1)]),
    ),
    call(
      'addUsersSetsObjectsBatch',
      triples.map((rows) => [column(rows, 0), column(rows, 1), column(rows, 2)]),
    ),
    call('grant', fc.tuple(address)),
    call('revoke', fc.tuple(address)),
    { weight: 6, arbitrary: fc.constantFrom(...signed).map(bytesOfHex) },
    call('grantBySignature', delegation),
    call('revokeBySignature', delegation),
    call('addLane', fc.tuple(address, signature)),
    call('removeLane', fc.tuple(address)),
    call('checkAuthority', fc.tuple(address)),
    call('delegatedAuthority', fc.tuple(address, address)),
    call('laneOperator', fc.tuple(address)),
    call('nonces', fc.tuple(address)),
    call('setHead', fc.tuple(address, setCid)),
    call('userSetCommitments', fc.tuple(address, setCid)),
    call('eip712Domain', fc.constant([])),
  );

  const word = fc.oneof(
    address.map((of) => BigInt(of)),
    // One that only ends like an address.
    fc.tuple(address, fc.bigInt({ min: 1n, max: 2n ** 96n - 1n })).map(([of, dirt]) => BigInt(of) | (dirt << 160n)),
    fc.bigInt({ min: 0n, max: 20n }).map((words) => words * 32n),
    fc.bigInt({ min: 0n, max: 9n }),
    fc.bigInt({ min: 0n, max: 255n }).map((bit) => 1n << bit),
    fc.constantFrom(...edges),
    fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    fc.oneof(setCid, object).map((cid) => BigInt(cid)),
  );
  const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * wordBytes, '0'), 'hex');
  const userWords = fc.tuple(commitBatch, fc.array(word, { minLength: 1, maxLength: 3 })).map(([data, values]) => {
    const bytes = Buffer.from(data);
    for (const [i, value] of values.entries())
      if (firstRunAt + (i + 1) * runBytes <= bytes.length) bytesOf(value).copy(bytes, firstRunAt + i * runBytes);
    return bytes;
  });
  type Change = (data: Buffer) => Buffer;
  const change: fc.Arbitrary<Change> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.tuple(fc.nat(24), word).map(
        ([place, value]): Change =>
          (data) => {
            const words = Math.floor((data.length - selectorBytes) / wordBytes);
            if (words > 0) bytesOf(value).copy(data, selectorBytes + wordBytes * (place % words));
            return data;
          },
      ),
    },
    fc.nat(200).map(
      (cut): Change =>
        (data) =>
          data.subarray(0, Math.max(0, data.length - cut)),
    ),
    word.map(
      (value): Change =>
        (data) =>
          Buffer.concat([data, bytesOf(value)]),
    ),
    fc.tuple(fc.nat(1_000), fc.nat(255)).map(
      ([at, value]): Change =>
        (data) => {
          if (data.length > 0) data[at % data.length] = value;
          return data;
        },
    ),
  );
  const changed = fc
    .tuple(fc.oneof(wellFormed, commitBatch), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([data, changes]) => changes.reduce<Buffer>((bytes, apply) => apply(bytes), Buffer.from(data)));
  const selector = fc.constantFrom(...Object.values(functionSelectors));
  const words = fc
    .tuple(selector, fc.array(word, { maxLength: 16 }))
    .map(([first, values]) => Buffer.concat([bytesOfHex(first), ...values.map(bytesOf)]));
  const data: fc.Arbitrary<Uint8Array> = fc.oneof(
    { weight: 5, arbitrary: wellFormed },
    { weight: 5, arbitrary: changed },
    { weight: 3, arbitrary: userWords },
    { weight: 2, arbitrary: words },
    fc.uint8Array({ maxLength: 200 }),
  );
  return fc.record({ from: sender, data });
}
