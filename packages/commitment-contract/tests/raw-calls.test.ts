import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeAddLane,
  encodeGrant,
  encodeGrantBySignature,
  encodeRevokeBySignature,
  eventTopics,
  grantTypedData,
  laneTypedData,
  revokeTypedData,
} from '../src/index.ts';
import { addressNumber, type Chain, callData, cidNumber, startChain } from './support/chain.ts';
import { copyOf, emptyState, hasAuthority, type ModelState, modelCall } from './support/contract-model.ts';
import { addLane, addressOfWallet, sign, walletNumber } from './support/lane.ts';
import { encode, outsider } from './support/outcome.ts';
import { type RawCall, rawCalls } from './support/raw-calls.ts';

/** Bounds the time; a failure prints its seed and the smallest sequence of calls. */
const sequences = { numRuns: 200, seed: 20_261_122 };
const callsOfSequence = { minLength: 20, maxLength: 60, size: 'max' } as const;
const deadlineMs = 120_000;

const signer = walletNumber(1);
const owner = addressOfWallet(signer);
const [granter, delegate] = [addressNumber(1), addressNumber(2)];
let chain: Chain;
let operator: Hex;
let lane: Hex;
let base: ModelState;
let senders: readonly Hex[];
let signatures: Hex[];
let signed: Hex[];

/** Somebody granted the operator, who has a lane; somebody granted a delegate; both have a set. */
beforeAll(async () => {
  chain = await startChain();
  const added = await addLane(chain, 1);
  ({ operator, lane } = added);
  base = emptyState();
  base.lanes.set(lane, operator);
  base.nonces.set(lane, 1n);
  for (const [from, data] of [
    [granter, encodeGrant({ delegate: operator })],
    [operator, encodeGrant({ delegate })],
    [granter, encode('addSet', cidNumber(1))],
    [operator, encode('addSet', cidNumber(2))],
  ] as const) {
    const [receipt] = await chain.send({ from, data });
    expect(receipt?.status).toBe('0x1');
    const predicted = modelCall(base, chain, from, Buffer.from(data.slice(2), 'hex'));
    if (predicted === undefined) throw new Error('the model refuses the beginning');
    base = predicted.state;
  }
  senders = [granter, delegate, operator, lane, owner, outsider];
  signatures = [];
  signed = [];
  for (const nonce of [0n, 1n, 2n]) {
    const delegation = { user: owner, delegate: operator, nonce };
    const granting = await sign(signer, grantTypedData(chain, delegation));
    const revoking = await sign(signer, revokeTypedData(chain, delegation));
    const consent = await sign(signer, laneTypedData(chain, { operator, nonce }));
    const otherConsent = await sign(added.wallet, laneTypedData(chain, { operator: granter, nonce }));
    signatures.push(granting, revoking, consent, otherConsent);
    signed.push(
      encodeGrantBySignature({ ...delegation, signature: granting }),
      encodeRevokeBySignature({ ...delegation, signature: revoking }),
      encodeAddLane({ lane: owner, signature: consent }),
      encodeAddLane({ lane, signature: otherConsent }),
    );
  }
}, 60_000);
afterAll(async () => chain?.stop());

const commitmentTopics: ReadonlySet<string> = new Set([
  eventTopics.AddSet,
  eventTopics.AddObject,
  eventTopics.AddSetObject,
]);

/** The user of a log of a commitment, if there is one that is an address. */
function isAllowed(before: ModelState, sender: Hex, topics: readonly Hex[]): boolean {
  const [event, user] = topics;
  if (event === undefined || !commitmentTopics.has(event)) return true;
  if (user === undefined || BigInt(user) >> 160n !== 0n) return false;
  return hasAuthority(before, sender, `0x${user.slice(-40)}`);
}

describe('calls with any data', () => {
  it(
    'log nothing for a user who did not send, grant the sender, or have it as a lane, and do what the model says',
    async () => {
      let succeeded = 0;
      const play = async (calls: readonly RawCall[]): Promise<void> => {
        const outcomes = await chain.simulate(calls.map(({ from, data }) => ({ from, data: callData(data) })));
        let state = copyOf(base);
        for (const [i, { from, data }] of calls.entries()) {
          const { ok, logs } = outcomes[i] as (typeof outcomes)[number];
          const topics = logs.map((log) => log.topics);
          const of = { from, data: hexOfBytes(data) };
          expect({ of, foreign: topics.filter((log) => !isAllowed(state, from, log)) }).toEqual({ of, foreign: [] });
          const predicted = modelCall(state, chain, from, data);
          expect({ of, ok, logs: topics }).toEqual({ of, ok: predicted !== undefined, logs: predicted?.logs ?? [] });
          if (ok) succeeded += 1;
          state = predicted?.state ?? state;
        }
      };
      await fc.assert(
        fc.asyncProperty(fc.array(rawCalls(senders, signatures, signed), callsOfSequence), play),
        sequences,
      );
      // A generator of nothing but failures would show nothing.
      expect(succeeded).toBeGreaterThan(sequences.numRuns);
    },
    deadlineMs,
  );
});
