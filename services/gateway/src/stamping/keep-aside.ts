import { failpoint } from '@indelible/failpoints';
import { type Hex, newId } from '@indelible/identifiers';
import { MessageInvalidError, outgoing, type Publisher, PublisherBusyError } from '@indelible/kafka';
import { KeepNonConfirmedContent } from '@indelible/messages';
import type { StampRequest } from './stamp.ts';

/** Content that cannot be stamped, since its collection is registered but not created. */
export type AsideRequest = Pick<StampRequest, 'account' | 'trace'> & {
  readonly collection: { readonly cid: Hex; readonly name: string };
  readonly content: NonNullable<StampRequest['content']>;
};

/**
 * Has storage keep the content under `non_confirmed/` with a failed record (specification, States 2). Resolves when the
 * command is durable; until then the staged content is removed on a fault (I7).
 * @throws retryable errors when the blob store or Kafka is away
 */
export async function keepAside(
  ports: { readonly publisher: Pick<Publisher, 'publish'>; readonly now: () => number },
  { account, collection, content, trace }: AsideRequest,
): Promise<void> {
  let named = false;
  try {
    const staged = await content.received.keep(content.fileName);
    const id = newId();
    const requestedAt = new Date(ports.now()).toISOString();
    const command = outgoing(
      KeepNonConfirmedContent,
      {
        requestId: id,
        account,
        setCid: collection.cid,
        objectCid: staged.objectCid,
        collectionName: collection.name,
        content: staged,
        requestedAt,
      },
      { id, time: requestedAt, ...trace },
    );
    named = true;
    await ports.publisher.publish([command]).catch((error: unknown) => {
      // These two say that nothing was written; of any other fault the message may have been.
      if (error instanceof PublisherBusyError || error instanceof MessageInvalidError) named = false;
      throw error;
    });
    failpoint('gateway.aside-published');
  } finally {
    if (!named) await content.received.discard();
  }
}
