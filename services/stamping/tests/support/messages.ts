import { type Hex, newId } from '@indelible/identifiers';
import type { IncomingMessage } from '@indelible/kafka';
import type { CreateCollection, DataOf, MessageContract, RequestStamp } from '@indelible/messages';

/** A message as the consumer hands it over. */
export function incoming<Contract extends MessageContract>(
  contract: Contract,
  data: DataOf<Contract>,
  id = newId(),
): IncomingMessage<Contract> {
  return {
    contract,
    data,
    id,
    type: contract.type,
    version: contract.version,
    source: 'test',
    time: new Date().toISOString(),
    key: contract.key(data as never),
    topic: contract.topic,
    partition: 0,
    offset: '0',
  } as unknown as IncomingMessage<Contract>;
}

export const randomCid = (): Hex => `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`;

export function stampRequest(account: Hex, options: Partial<RequestStamp> = {}): RequestStamp {
  return {
    requestId: newId(),
    account,
    set: { kind: 'none' },
    setCidHint: `0x${'0'.repeat(64)}`,
    objectCid: randomCid(),
    idempotency: { windowSeconds: 3600 },
    content: null,
    awaits: 'decision',
    replyTo: 'gateway-1',
    requestedAt: new Date().toISOString(),
    clientRef: null,
    ...options,
  };
}

export function collectionRequest(
  account: Hex,
  name: string,
  options: Partial<CreateCollection> = {},
): CreateCollection {
  return {
    requestId: newId(),
    account,
    name,
    cid: null,
    description: null,
    isPinned: false,
    replyTo: 'gateway-1',
    requestedAt: new Date().toISOString(),
    ...options,
  };
}
