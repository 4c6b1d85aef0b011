import sha3 from 'js-sha3';
import type { Form, PatientClient } from './patient-client.ts';
import type { Random } from './random.ts';

/** Content to be stamped exactly once: whatever happens, there must be one commitment of it. */
export type Identity = {
  readonly client: PatientClient;
  readonly form: Form;
  readonly objectCid: string;
  readonly content: Buffer | undefined;
};

/** What clients request in a run, and what they know afterwards. */
export type Requests = ReturnType<typeof createRequests>;

export function createRequests(random: Random, clients: readonly PatientClient[]) {
  const identities: Identity[] = [];
  /** CIDs that two requests wanted stamped with a window of zero: one commitment of each, or two. */
  const pairs: string[] = [];
  const statuses: { readonly client: PatientClient; readonly url: string }[] = [];

  function fresh(): Identity {
    const content = random.bytes(16 + random.below(2_000));
    const objectCid = `0x${sha3.sha3_256(content)}`;
    const collection = random.pick([undefined, undefined, 'Alpha', 'Beta', 'Gamma']);
    const named = collection === undefined ? {} : { collection_name: collection };
    const stores = random.below(4) === 0;
    const what: Form = stores ? { file: { bytes: content, name: 'chaos.bin' } } : { data_cid: objectCid };
    const client = random.pick(clients);
    const identity = { client, form: { ...what, ...named }, objectCid, content: stores ? content : undefined };
    identities.push(identity);
    return identity;
  }
  const stamp = ({ client, form }: Identity): Promise<unknown> => client.stamp(form);
  const known = (): Identity => (identities.length > 0 ? random.pick(identities) : fresh());

  async function stampPair(client: PatientClient): Promise<void> {
    const data_cid = `0x${random.bytes(32).toString('hex')}`;
    pairs.push(data_cid);
    const keys = ['first', 'second'].map((which) => `${which} of ${data_cid}`);
    await Promise.all(keys.map((key) => client.stamp({ data_cid, idempotency_window: '0' }, key)));
  }

  async function stampLater({ client, form }: Identity): Promise<void> {
    const url = await client.stampLater(form);
    if (url !== undefined) statuses.push({ client, url });
  }

  return {
    identities,
    pairs,
    statuses,
    /** Random requests, each repeated until it is answered. */
    choose: (): readonly Promise<unknown>[] =>
      random.weighted<() => readonly Promise<unknown>[]>([
        [12, () => [stamp(fresh())]],
        [3, () => [stamp(known())]],
        [
          1,
          () => {
            const identity = fresh();
            return Array.from({ length: 5 }, () => stamp(identity));
          },
        ],
        [1, () => [stampPair(random.pick(clients))]],
        [2, () => [stampLater(fresh())]],
        [
          1,
          () => {
            // An identity that no request stamps would count as lost.
            if (identities.length === 0) return [stamp(fresh())];
            const { client, objectCid } = random.pick(identities);
            return [client.verify([objectCid])];
          },
        ],
      ])(),
  };
}
