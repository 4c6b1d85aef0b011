import { type Hex, hexOfBytes } from '@indelible/identifiers';
import { recoverAddress, TypedDataEncoder } from 'ethers';
import {
  eventTopics,
  firstSetHead,
  functionSelectors,
  grantTypedData,
  laneTypedData,
  nextSetHead,
  revokeTypedData,
} from '../../src/index.ts';
import { CallDataReader, Reverted } from './call-data-reader.ts';

type Domain = Parameters<typeof grantTypedData>[0];
type FunctionName = keyof typeof functionSelectors;

/** A log's topics: event, then the indexed values. */
export type ModelLog = readonly Hex[];

/** What the contract stores. Pairs are keys of the form `first second`. */
export type ModelState = {
  /** `delegate user` */
  readonly granted: Set<string>;
  readonly lanes: Map<Hex, Hex>;
  readonly nonces: Map<Hex, bigint>;
  /** `user setCid` → head */
  readonly heads: Map<string, Hex>;
};

export const emptyState = (): ModelState => ({
  granted: new Set(),
  lanes: new Map(),
  nonces: new Map(),
  heads: new Map(),
});

export const copyOf = (state: ModelState): ModelState => ({
  granted: new Set(state.granted),
  lanes: new Map(state.lanes),
  nonces: new Map(state.nonces),
  heads: new Map(state.heads),
});

const zero = 0n;
const zeroWord: Hex = `0x${'0'.repeat(64)}`;
const word = (address: Hex): Hex => `0x${address.slice(2).padStart(64, '0')}`;
const maxS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** On whose authority the sender writes for others. */
export const actorOf = (state: ModelState, sender: Hex): Hex => state.lanes.get(sender) ?? sender;

export const hasAuthority = (state: ModelState, sender: Hex, user: Hex): boolean => {
  const actor = actorOf(state, sender);
  return user === sender || user === actor || state.granted.has(`${actor} ${user}`);
};

/**
 * What a call with any bytes as its data does, by the specification of the contract and of the ABI: its logs and the
 * state after it, or undefined when it reverts.
 */
export function modelCall(
  before: ModelState,
  domain: Domain,
  sender: Hex,
  data: Uint8Array,
): { readonly logs: readonly ModelLog[]; readonly state: ModelState } | undefined {
  const name = selectors.get(hexOfBytes(data.subarray(0, 4)));
  if (name === undefined) return undefined;
  const call = new Call(copyOf(before), domain, sender, new CallDataReader(data));
  try {
    call[name]();
    return { logs: call.logs, state: call.state };
  } catch (error) {
    if (error instanceof Reverted) return undefined;
    throw error;
  }
}

const selectors = new Map<string, FunctionName>(
  Object.entries(functionSelectors).map(([name, selector]) => [selector, name as FunctionName]),
);

function require(condition: boolean): void {
  if (!condition) throw new Reverted();
}

/** One call: a method for each function of the contract. */
class Call implements Record<FunctionName, () => void> {
  readonly logs: ModelLog[] = [];
  readonly state: ModelState;
  readonly #domain: Domain;
  readonly #sender: Hex;
  readonly #read: CallDataReader;

  constructor(state: ModelState, domain: Domain, sender: Hex, read: CallDataReader) {
    this.state = state;
    this.#domain = domain;
    this.#sender = sender;
    this.#read = read;
  }

  #log(event: keyof typeof eventTopics, ...indexed: readonly Hex[]): void {
    this.logs.push([eventTopics[event], ...indexed]);
  }
  #authorized(user: Hex): void {
    require(hasAuthority(this.state, this.#sender, user));
  }
  #set(user: Hex, setCid: Hex): void {
    require(setCid !== zeroWord);
    const key = `${user} ${setCid}`;
    if (this.state.heads.has(key)) return;
    this.state.heads.set(key, firstSetHead(user, setCid));
    this.#log('AddSet', word(user), setCid);
  }
  #looseObject(user: Hex, objectCid: Hex): void {
    this.#log('AddObject', word(user), objectCid);
  }
  #setObject(user: Hex, setCid: Hex, objectCid: Hex): void {
    const key = `${user} ${setCid}`;
    const head = this.state.heads.get(key);
    if (head === undefined) throw new Reverted();
    this.state.heads.set(key, nextSetHead(head, objectCid));
    this.#log('AddSetObject', word(user), setCid, objectCid);
  }
  #setObjects(user: Hex, setCid: Hex, objects: readonly Hex[]): void {
    require(this.state.heads.has(`${user} ${setCid}`));
    for (const objectCid of objects) this.#setObject(user, setCid, objectCid);
  }
  #setsObjects(user: Hex, sets: readonly Hex[], objects: readonly Hex[]): void {
    require(sets.length === objects.length);
    for (const [i, setCid] of sets.entries()) this.#setObject(user, setCid, objects[i] as Hex);
  }
  #spendNonce(of: Hex): void {
    this.state.nonces.set(of, (this.state.nonces.get(of) ?? zero) + 1n);
  }
  #delegate(delegate: Hex, user: Hex, granted: boolean): void {
    if (granted) this.state.granted.add(`${delegate} ${user}`);
    else this.state.granted.delete(`${delegate} ${user}`);
  }
  #signed(signer: Hex, typed: { domain: object; types: object; message: object }, signature: Uint8Array): void {
    require(signature.length === 65);
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map((bytes) => hexOfBytes(bytes));
    const v = signature[64] as number;
    require(BigInt(s as Hex) <= maxS && (v === 27 || v === 28));
    const types = typed.types as Record<string, { name: string; type: string }[]>;
    const digest = TypedDataEncoder.hash(typed.domain, types, typed.message);
    let recovered: string | undefined;
    try {
      recovered = recoverAddress(digest, { r: r as string, s: s as string, v }).toLowerCase();
    } catch {
      // Not a point of the curve.
    }
    require(recovered === signer);
  }

  addSet() {
    const [setCid] = this.#read.head('bytes32');
    this.#set(this.#sender, setCid);
  }
  addObject() {
    const [objectCid] = this.#read.head('bytes32');
    this.#looseObject(this.#sender, objectCid);
  }
  addSetObject() {
    const [setCid, objectCid] = this.#read.head('bytes32', 'bytes32');
    this.#setObject(this.#sender, setCid, objectCid);
  }
  addSetObjectsBatch() {
    const [setCid, objects] = this.#read.head('bytes32', 'bytes32[]');
    this.#setObjects(this.#sender, setCid, objects);
  }
  addSetsObjectsBatch() {
    const [sets, objects] = this.#read.head('bytes32[]', 'bytes32[]');
    this.#setsObjects(this.#sender, sets, objects);
  }
  addUserSet() {
    const [user, setCid] = this.#read.head('address', 'bytes32');
    this.#authorized(user);
    this.#set(user, setCid);
  }
  addUserObject() {
    const [user, objectCid] = this.#read.head('address', 'bytes32');
    this.#authorized(user);
    this.#looseObject(user, objectCid);
  }
  addUserSetObject() {
    const [user, setCid, objectCid] = this.#read.head('address', 'bytes32', 'bytes32');
    this.#authorized(user);
    this.#setObject(user, setCid, objectCid);
  }
  addUserSetObjectsBatch() {
    const [user, setCid, objects] = this.#read.head('address', 'bytes32', 'bytes32[]');
    this.#authorized(user);
    this.#setObjects(user, setCid, objects);
  }
  addUserSetsObjectsBatch() {
    const [user, sets, objects] = this.#read.head('address', 'bytes32[]', 'bytes32[]');
    this.#authorized(user);
    this.#setsObjects(user, sets, objects);
  }
  addUsersSetsObjectsBatch() {
    const [users, sets, objects] = this.#read.head('bytes32[]', 'bytes32[]', 'bytes32[]');
    require(users.length === sets.length && users.length === objects.length);
    for (const [i, userWord] of users.entries()) {
      const user = CallDataReader.addressIn(userWord);
      this.#authorized(user);
      this.#setObject(user, sets[i] as Hex, objects[i] as Hex);
    }
  }
  commitBatch() {
    const [runs, objects] = this.#read.head('run[]', 'bytes32[]');
    let at = 0;
    for (const { user: userWord, count, newSet, setCid } of runs) {
      require(count <= BigInt(objects.length - at));
      const user = CallDataReader.addressIn(userWord);
      this.#authorized(user);
      const own = objects.slice(at, at + Number(count));
      at += own.length;
      if (setCid === zeroWord) {
        require(!newSet);
        for (const objectCid of own) this.#looseObject(user, objectCid);
      } else {
        if (newSet) this.#set(user, setCid);
        this.#setObjects(user, setCid, own);
      }
    }
    require(at === objects.length);
  }
  grant() {
    const [delegate] = this.#read.head('address');
    this.#spendNonce(this.#sender);
    this.#delegate(delegate, this.#sender, true);
    this.#log('Grant', word(this.#sender), word(delegate));
  }
  revoke() {
    const [delegate] = this.#read.head('address');
    this.#spendNonce(this.#sender);
    this.#delegate(delegate, this.#sender, false);
    this.#log('Revoke', word(this.#sender), word(delegate));
  }
  grantBySignature() {
    this.#bySignature(true);
  }
  revokeBySignature() {
    this.#bySignature(false);
  }
  #bySignature(grants: boolean) {
    const [delegateWord, nonceWord, user, signature] = this.#read.head('bytes32', 'bytes32', 'address', 'bytes');
    const nonce = BigInt(nonceWord);
    require(nonce === (this.state.nonces.get(user) ?? zero));
    const delegate = CallDataReader.addressIn(delegateWord);
    const typedData = grants ? grantTypedData : revokeTypedData;
    this.#signed(user, typedData(this.#domain, { delegate, nonce }), signature);
    this.#spendNonce(user);
    this.#delegate(delegate, user, grants);
    this.#log(grants ? 'GrantBySignature' : 'RevokeBySignature', word(user), word(delegate));
  }
  addLane() {
    const [lane, signature] = this.#read.head('address', 'bytes');
    const operator = this.state.lanes.get(lane);
    if (operator === this.#sender) return;
    require(operator === undefined);
    const nonce = this.state.nonces.get(lane) ?? zero;
    this.#signed(lane, laneTypedData(this.#domain, { operator: this.#sender, nonce }), signature);
    this.#spendNonce(lane);
    this.state.lanes.set(lane, this.#sender);
    this.#log('LaneAdded', word(this.#sender), word(lane));
  }
  removeLane() {
    const [lane] = this.#read.head('address');
    const operator = this.state.lanes.get(lane);
    if (operator === undefined || (this.#sender !== operator && this.#sender !== lane)) throw new Reverted();
    this.state.lanes.delete(lane);
    this.#log('LaneRemoved', word(operator), word(lane));
  }
  checkAuthority() {
    this.#read.head('address');
  }
  delegatedAuthority() {
    this.#read.head('address', 'address');
  }
  eip712Domain() {
    this.#read.head();
  }
  laneOperator() {
    this.#read.head('address');
  }
  nonces() {
    this.#read.head('address');
  }
  setHead() {
    this.#read.head('address', 'bytes32');
  }
  userSetCommitments() {
    this.#read.head('address', 'bytes32');
  }
}
