import { setImmediate as turn } from 'node:timers/promises';
import { cidOfCollectionName, type Hex } from '@indelible/identifiers';
import { describe, expect, it } from '@jest/globals';
import type { CollectionView } from '../../projections/collections.ts';
import { createWaitingRoom } from '../stamping/waiting-room.ts';
import { type CollectionPorts, createCollection } from './create-collection.ts';

const account: Hex = `0x${'aa'.repeat(20)}`;
const request = {
  ...{ account, name: 'Forest', cid: null, description: 'mine', isPinned: false },
  trace: { requestId: '00000000-0000-4000-8000-000000000000' },
};
const view = (created: boolean, description = 'mine') =>
  ({ name: 'Forest', cid: cidOfCollectionName('Forest'), description, isPinned: false, created }) as CollectionView;

/** The response to a request whose wait limit passes just when the read model shows this. */
async function answerAtLimit(shown: CollectionView | undefined) {
  const waitingRoom = createWaitingRoom({ maxWaiting: 1, waitLimitMs: 60_000 });
  let current: CollectionView | undefined;
  let lookedUp = 0;
  const ports: CollectionPorts = {
    instanceId: 'gateway-1',
    publisher: { publish: async () => {} },
    replies: { wait: () => ({ listen: () => {}, close: () => {} }) },
    waitingRoom,
    stampQuota: { take: () => undefined, give: () => {} },
    lookup: async () => {
      lookedUp++;
      return current;
    },
    cidOfName: cidOfCollectionName,
    now: Date.now,
  };
  const answer = createCollection(ports, request);
  // By its name and its CID, and the first time of the wait.
  while (lookedUp < 3) await turn();
  await turn();
  current = shown;
  waitingRoom.close();
  return answer;
}

describe('at the wait limit, creating a collection', () => {
  it('is answered with a collection that is shown by then', async () => {
    expect(await answerAtLimit(view(true))).toEqual({ kind: 'created', collection: view(true) });
  });

  it('finds that another one has its name', async () => {
    const other = view(true, 'another');
    expect(await answerAtLimit(other)).toEqual({ kind: 'exists', collection: other, taken: 'name' });
  });

  it.each([
    ['registered', view(false)],
    ['not registered yet', undefined],
  ])('is pending while the collection is only %s', async (_what, shown) => {
    expect(await answerAtLimit(shown)).toEqual({ kind: 'pending', registered: shown !== undefined });
  });
});
