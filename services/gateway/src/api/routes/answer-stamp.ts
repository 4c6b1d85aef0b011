import { cidOfContent, type Hex } from '@indelible/identifiers';
import { isFault } from '../../decisions/field-values.ts';
import { nameOfData } from '../../decisions/file-name.ts';
import { fingerprintOf, isIdempotencyKey } from '../../decisions/idempotency-key.ts';
import {
  type RequestedSet,
  readStampForm,
  type StampForm,
  type StampFormInput,
} from '../../decisions/read-stamp-form.ts';
import { noSet, type TargetFault } from '../../decisions/target-set.ts';
import { HttpError, invalid, pending, unavailable } from '../../errors/http-error.ts';
import { refusalError, targetFaultError } from '../../errors/refusal-error.ts';
import { type CollectionLookup, findTarget } from '../../use-cases/collections/collection-lookup.ts';
import type { KeyedOutcome, KeyedRequests } from '../../use-cases/idempotency/keyed-requests.ts';
import type { ReceiveContent } from '../../use-cases/stamping/content.ts';
import type { AsideRequest } from '../../use-cases/stamping/keep-aside.ts';
import type { StampAnswer } from '../../use-cases/stamping/stamp.ts';
import type { KeyedAttempt, StampRequest } from '../../use-cases/stamping/stamp-request.ts';
import type { Answer, Call } from '../edge/call.ts';
import type { ReceivedForm } from '../forms/receive-form.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import { fileObjectIn } from '../responses/file-object.ts';

/** A stamp request after its form. */
export type StampCall = Pick<Call, 'account' | 'trace' | 'urlOf' | 'gone' | 'onGone' | 'patience' | 'header'>;

/** Handles a form; keeps or discards its content in any case. @param key of the request, if it has one */
export type StampAnswering = (call: StampCall, key: string | undefined, form: ReceivedForm) => Promise<Answer>;

/** POST /stamps, once its form is received: the stamp use case decides and waits. */
export function createStampAnswering(options: {
  readonly collections: CollectionLookup;
  readonly keyedRequests: Pick<KeyedRequests, 'once'>;
  readonly stamp: (request: StampRequest) => Promise<StampAnswer>;
  readonly keepAside: (request: AsideRequest) => Promise<void>;
  readonly receiveContent: ReceiveContent;
}): StampAnswering {
  const { collections, stamp } = options;

  return async (call, key, received) => {
    const { file } = received;
    try {
      const { input, form } = readFields(received);
      const attempt = async (attempt?: KeyedAttempt): Promise<StampAnswer> => {
        const { set } = form;
        const target =
          set.kind === 'none' ? noSet : await call.patience(() => findTarget(collections, call.account, set));
        if ('fault' in target && target.fault === 'not-registered') throw targetFaultError(target);
        const content =
          form.content === undefined ? undefined : await contentOf(call.account, form, received, input.data?.cid);
        if ('fault' in target) return refuse(call, target, content);
        return stamp({
          account: call.account,
          objectCid: form.objectCid,
          target,
          idempotency: form.idempotency,
          content,
          respondAsync: prefersAsync(call.header('prefer')),
          trace: call.trace,
          // An attempt under a key continues: its outcome is kept for the next.
          ...(attempt === undefined ? { onGone: (ended) => call.onGone(ended) } : { attempt }),
        });
      };
      const once = async (key: string): Promise<StampAnswer> => {
        const request = { account: call.account, key, fingerprint: fingerprintOf(input, form) };
        return answerUnderKey(await options.keyedRequests.once(request, attempt, call.gone));
      };
      const answer = await (key === undefined ? attempt() : once(key));
      return response(call, form.set, answer);
    } finally {
      if (file !== undefined) await file.content.discard();
    }
  };

  /** Content that was to be stored is kept anyway (docs/interface.md, Stored files). */
  async function refuse(
    { account, trace }: StampCall,
    fault: Extract<TargetFault, { fault: 'not-created' }>,
    content: StampRequest['content'],
  ): Promise<never> {
    if (content !== undefined) await options.keepAside({ account, trace, collection: fault, content });
    throw targetFaultError(fault);
  }

  /** Inline data is staged only now, once it is known to be stored. */
  async function contentOf(
    account: Hex,
    form: StampForm,
    { data, file }: ReceivedForm,
    dataCid: Hex | undefined,
  ): Promise<StampRequest['content']> {
    if (form.content?.from === 'file' && file !== undefined) return { received: file.content, fileName: file.name };
    if (form.content?.from !== 'data' || data === undefined || dataCid === undefined) return undefined;
    return {
      received: await options.receiveContent(account, [data], { maxBytes: data.length, announced: data.length }),
      fileName: form.content.fileName ?? (await nameOfData(dataCid, data)),
    };
  }
}

/** @param key the header's one value. @throws HttpError 400 naming the header */
export function idempotencyKeyOf(key: string | undefined): string | undefined {
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

function readFields({ texts, data, file }: ReceivedForm): { input: StampFormInput; form: StampForm } {
  const input: StampFormInput = {
    texts,
    data: data === undefined ? undefined : { cid: cidOfContent(data), size: data.length },
    file: file === undefined ? undefined : { cid: file.content.cid, name: file.name },
  };
  const form = readStampForm(input);
  if (isFault(form)) throw invalid(form.field, form.fault);
  return { input, form };
}

/** RFC 7240: a list of preferences; unknown ones are ignored. */
const prefersAsync = (prefer: string | undefined): boolean =>
  prefer?.split(',').some((one) => /^\s*respond-async\s*(?:;|$)/i.test(one)) ?? false;

function response(call: StampCall, set: RequestedSet, answer: StampAnswer): Answer {
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
      throw refusalError(answer.refusal, set.kind === 'cid' ? set.cid : undefined);
  }
}

const statusResource = (call: StampCall, { stampId }: { readonly stampId: string }): { Location: string } => ({
  Location: call.urlOf(`/stamps/${stampId}`),
});
