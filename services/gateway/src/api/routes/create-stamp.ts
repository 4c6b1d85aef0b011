import type { BlobStore } from '@indelible/blob-store';
import { type Hex, newId } from '@indelible/identifiers';
import { countContent } from '../../limits/content-count.ts';
import type { DailyQuota } from '../../limits/daily-quotas.ts';
import { type ReceivedContent, receiveContent } from '../../use-cases/stamping/content.ts';
import { tooLarge } from '../edge/body.ts';
import type { Handler } from '../edge/call.ts';
import type { FormFields } from '../edge/document.ts';
import { fileBytesAnnounced, readForm } from '../forms/read-form.ts';
import type { FieldRules } from '../forms/receive-form.ts';
import { createStampAnswering, idempotencyKeyOf, type StampAnswering } from './answer-stamp.ts';

/** POST /stamps: reads the form as it streams, then handles it. The short path does so for small forms, by the same functions. */
export function createStampRoute(
  options: {
    /** The form's fields, of the document. */
    readonly fields: FormFields;
    readonly maxFileBytes: number;
    readonly maxDataBytes: number;
    readonly blobStore: BlobStore;
    readonly byteQuota: Pick<DailyQuota, 'take' | 'give'>;
  } & Omit<Parameters<typeof createStampAnswering>[0], 'receiveData'>,
): { readonly handle: Handler; readonly rules: FieldRules; readonly answer: StampAnswering } {
  const { blobStore, byteQuota, fields, maxDataBytes } = options;
  const receive = (
    account: Hex,
    body: AsyncIterable<Buffer>,
    { maxBytes, announced }: { readonly maxBytes: number; readonly announced: number },
  ): Promise<ReceivedContent> =>
    receiveContent(blobStore, newId(), body, {
      maxBytes,
      tooLarge,
      count: countContent(byteQuota, account, announced),
    });
  const rules: FieldRules = { fields, maxDataBytes, tooLarge };
  const answer = createStampAnswering({
    ...options,
    receiveData: (account, data) => receive(account, inOne(data), { maxBytes: data.length, announced: data.length }),
  });

  return {
    rules,
    answer,
    async handle(call) {
      const key = idempotencyKeyOf(call.singleHeader('Idempotency-Key'));
      const received = await readForm(call, {
        ...rules,
        maxFileBytes: options.maxFileBytes,
        receiveFile: (body) =>
          receive(call.account, body, { maxBytes: options.maxFileBytes, announced: fileBytesAnnounced(call) }),
        dropFile: (content) => content.discard(),
      });
      return answer(call, key, received);
    },
  };
}

async function* inOne(data: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield data;
}
