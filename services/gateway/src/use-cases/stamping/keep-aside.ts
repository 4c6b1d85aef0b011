import { type Hex, newId } from '@indelible/identifiers';
import { outgoing, type Publisher } from '@indelible/kafka';
import { KeepNonConfirmedContent } from '@indelible/messages';
import { failpoint } from '@indelible/service-runtime';
import { submit } from '../commands/submit.ts';
import type { StampRequest } from './stamp-request.ts';

/** Content that cannot be stamped: its collection is registered but not created. */
export type AsideRequest = Pick<StampRequest, 'account' | 'trace'> & {
  readonly collection: { readonly cid: Hex; readonly name: string };
  readonly content: NonNullable<StampRequest['content']>;
};

/**
 * Lets storage keep the content under `non_confirmed/` with a failed record (docs/interface.md, Stored files). Resolves
 * when the command is durable; until then a fault removes the staged content (I7).
 * @throws retryable errors when the blob store or Kafka is unavailable
 */
export async function keepAside(
  ports: { readonly publisher: Pick<Publisher, 'publish'>; readonly now: () => number },
  { account, collection, content, trace }: AsideRequest,
): Promise<void> {
  const { received, fileName } = content;
  try {
    const staged = await received.keep(fileName);
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
    await submit(ports.publisher, { content: received, mayBePublished: false }, [command]);
    failpoint('gateway.aside-published');
  } finally {
    await received.discard();
  }
}
