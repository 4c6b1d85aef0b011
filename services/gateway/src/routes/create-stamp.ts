import type { BlobStore } from '@indelible/blob-store';
import { cidOfContent, type Hex, newId } from '@indelible/identifiers';
import type { CollectionLookup } from '../collections/collection-lookup.ts';
import { isFault } from '../decisions/field-values.ts';
import { nameOfData } from '../decisions/file-name.ts';
import { fingerprintOf, isIdempotencyKey } from '../decisions/idempotency-key.ts';
import { type RequestedSet, readStampForm, type StampForm, type StampFormInput } from '../decisions/read-stamp-form.ts';
import { type ResolvedTarget, resolveTarget, type TargetFault } from '../decisions/target-set.ts';
import { fileBytesAnnounced, readForm } from '../forms/read-form.ts';
import type { ReceivedForm } from '../forms/receive-form.ts';
import { tooLarge } from '../http/body.ts';
import type { Answer, Call, Handler } from '../http/call.ts';
import type { FormFields } from '../http/document.ts';
import { HttpError, invalid, pending, unavailable } from '../http/errors.ts';
import type { KeyedOutcome, KeyedRequests } from '../idempotency/keyed-requests.ts';
import { countContent } from '../limits/content-count.ts';
import type { DailyQuota } from '../limits/daily-quotas.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import { fileObjectIn } from '../responses/file-object.ts';
import { refusalError } from '../responses/refusal.ts';
import { notRegistered, targetFaultError } from '../responses/target-fault.ts';
import { type ReceivedContent, receiveContent } from '../stamping/content.ts';
import type { AsideRequest } from '../stamping/keep-aside.ts';
import type { KeyedAttempt, StampAnswer, StampRequest } from '../stamping/stamp.ts';

/** POST /stamps: the form streams in, then the stamp use case decides and waits. */
export function createStampRoute(options: {
  /** The form's fields, of the document. */
  readonly fields: FormFields;
  readonly maxFileBytes: number;
  readonly maxDataBytes: number;
  readonly blobStore: BlobStore;
  readonly byteQuota: Pick<DailyQuota, 'take' | 'give'>;
  readonly collections: CollectionLookup;
  readonly keyedRequests: Pick<KeyedRequests, 'once'>;
  readonly stamp: (request: StampRequest) => Promise<StampAnswer>;
  readonly keepAside: (request: AsideRequest) => Promise<void>;
}): Handler {
  const { blobStore, byteQuota, collections, stamp } = options;
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

  return async (call) => {
    const key = idempotencyKeyOf(call);
    const received = await readForm(call, {
      ...options,
      tooLarge,
      receiveFile: (body) =>
        receive(call.account, body, { maxBytes: options.maxFileBytes, announced: fileBytesAnnounced(call) }),
      dropFile: (content) => content.discard(),
    });
    const { file } = received;
    /** Whether the file is the stamp use case's to keep or discard. */
    let handedOver = false;
    try {
      const { input, form } = readFields(received);
      const attempt = async (attempt?: KeyedAttempt): Promise<StampAnswer> => {
        const target = await call.patience(() => targetOf(call.account, form.set));
        if ('fault' in target && target.fault === 'not-registered') throw targetFaultError(target);
        const content = await contentOf(call.account, form, received, input.data?.cid);
        handedOver = form.content?.from === 'file';
        if ('fault' in target) return refuse(call, target, content);
        return stamp({
          account: call.account,
          objectCid: form.objectCid,
          target,
          idempotency: form.idempotency,
          content,
          respondAsync: prefersAsync(call.header('prefer')),
          trace: call.trace,
          // An attempt under a key goes on all the same: its outcome is kept for the next.
          ...(attempt === undefined ? { gone: call.gone } : { attempt }),
        });
      };
      const once = async (key: string): Promise<StampAnswer> => {
        const request = { account: call.account, key, fingerprint: fingerprintOf(input, form) };
        return answerUnderKey(await options.keyedRequests.once(request, attempt, call.gone));
      };
      const answer = key === undefined ? await attempt() : await once(key);
      return response(call, form.set, answer);
    } finally {
      if (!handedOver) await file?.content.discard();
    }
  };

  async function targetOf(account: Hex, set: RequestedSet): Promise<ResolvedTarget | TargetFault> {
    const known =
      set.kind === 'none'
        ? undefined
        : await collections(set.kind === 'cid' ? { account, cid: set.cid } : { account, folded: set.folded });
    return resolveTarget(set, known);
  }

  /** Content that was to be stored is kept all the same (specification, States 2). */
  async function refuse(
    { account, trace }: Call,
    fault: Extract<TargetFault, { fault: 'not-created' }>,
    content: StampRequest['content'],
  ): Promise<never> {
    if (content !== undefined) await options.keepAside({ account, trace, collection: fault, content });
    throw targetFaultError(fault);
  }

  /** Inline data is staged only now, when it is known to be stored. */
  async function contentOf(
    account: Hex,
    form: StampForm,
    { data, file }: ReceivedForm<ReceivedContent>,
    dataCid: Hex | undefined,
  ): Promise<StampRequest['content']> {
    if (form.content?.from === 'file' && file !== undefined) return { received: file.content, fileName: file.name };
    if (form.content?.from !== 'data' || data === undefined || dataCid === undefined) return undefined;
    return {
      received: await receive(account, inOne(data), { maxBytes: data.length, announced: data.length }),
      fileName: form.content.fileName ?? (await nameOfData(dataCid, data)),
    };
  }
}

function idempotencyKeyOf(call: Call): string | undefined {
  const key = call.singleHeader('Idempotency-Key');
  if (key !== undefined && !isIdempotencyKey(key))
    throw invalid('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  return key;
}

function answerUnderKey(outcome: KeyedOutcome): StampAnswer {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer;
    case 'conflict':
      throw new HttpError(400, 'Idempotency-Key: names another request already', {
        details: 'idempotent conflict: a key may be used again only with the same request, or 24 hours later',
      });
    case 'busy':
      throw unavailable('the first request with this Idempotency-Key is under way still', { retryAfter: '5' });
  }
}

function readFields({ texts, data, file }: ReceivedForm<ReceivedContent>): { input: StampFormInput; form: StampForm } {
  const input: StampFormInput = {
    texts,
    data: data === undefined ? undefined : { cid: cidOfContent(data), size: data.length },
    file: file === undefined ? undefined : { cid: file.content.cid, name: file.name },
  };
  const form = readStampForm(input);
  if (isFault(form)) throw invalid(form.field, form.fault);
  return { input, form };
}

async function* inOne(data: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield data;
}

/** RFC 7240: a list of preferences; those unknown are ignored. */
const prefersAsync = (prefer: string | undefined): boolean =>
  (prefer ?? '').split(',').some((one) => /^\s*respond-async\s*(?:;|$)/i.test(one));

function response(call: Call, set: RequestedSet, answer: StampAnswer): Answer {
  switch (answer.kind) {
    case 'created':
      return {
        status: 201,
        body: { commitment_receipt: commitmentReceipt(answer.receipt), ...fileObjectIn(answer.file) },
        headers: statusResource(call, answer),
      };
    case 'repeated':
      return {
        status: 200,
        body: { commitment_receipt: commitmentReceipt(answer.receipt) },
        headers: statusResource(call, answer),
      };
    case 'accepted':
      return {
        status: 202,
        body: { id: answer.stampId, status: answer.status },
        headers: { ...statusResource(call, answer), 'Preference-Applied': 'respond-async' },
      };
    case 'pending': {
      const headers = statusResource(call, answer);
      throw pending('the stamp is not confirmed yet', { details: headers.Location, headers });
    }
    case 'refused':
      if (answer.refusal.code === 'collection-not-registered' && set.kind === 'cid') throw notRegistered(set.cid);
      throw refusalError(answer.refusal);
  }
}

const statusResource = (call: Call, { stampId }: { readonly stampId: string }): { Location: string } => ({
  Location: call.urlOf(`/stamps/${stampId}`),
});
