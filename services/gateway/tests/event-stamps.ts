import { cidOfCollectionName, cidOfContent, type Hex, newId } from '@indelible/identifiers';
import { type OutgoingMessage, outgoing } from '@indelible/kafka';
import { StampConfirmed } from '@indelible/messages';
import { chainId, type Gateway } from './gateway-harness.ts';

/** A confirmation, of which notifications makes two events: stamp.submitted and stamp.confirmed. */
export function confirmation(
  account: Hex,
  collectionName: string | null = null,
): OutgoingMessage<typeof StampConfirmed> {
  const stampId = newId();
  const receipt = {
    transactionHash: cidOfContent('transaction'),
    logIndex: 3,
    blockNumber: 1204,
    blockHash: cidOfContent('block'),
    blockTime: 1_795_000_000,
    chainId,
    account,
    setCid: collectionName === null ? (`0x${'0'.repeat(64)}` as Hex) : cidOfCollectionName(collectionName),
    objectCid: cidOfContent(stampId),
  };
  return outgoing(
    StampConfirmed,
    {
      ...{ stampId, requestId: newId(), collectionName, clientRef: null, batchId: newId() },
      ...{ receipt, content: null, replyTo: null },
    },
    { id: newId(), time: new Date().toISOString() },
  );
}

/** Confirms so many stamps. @returns their ids, in no order that is kept */
export async function confirmStamps(
  gateway: Gateway,
  account: Hex,
  count: number,
  collectionName: string | null = null,
): Promise<string[]> {
  const messages = Array.from({ length: count }, () => confirmation(account, collectionName));
  await Promise.all(messages.map((message) => gateway.stamping.emit(message)));
  return messages.map(({ data }) => data.stampId);
}
