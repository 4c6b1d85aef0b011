import type { Hex } from '@indelible/identifiers';
import { isFault } from '../../decisions/field-values.ts';
import { readUploadForm, type UploadForm } from '../../decisions/read-upload-form.ts';
import { ClientGoneError, HttpError, invalid, pending } from '../../errors/http-error.ts';
import { refusalError } from '../../errors/refusal-error.ts';
import { isNeighbourFault } from '../../errors/translate-error.ts';
import type { CollectionView } from '../../projections/collections.ts';
import type { CollectionLookup } from '../../use-cases/collections/collection-lookup.ts';
import type { ReceiveContent } from '../../use-cases/stamping/content.ts';
import type { UploadAnswer, UploadRequest } from '../../use-cases/uploading/upload.ts';
import type { Answer, Call, Handler } from '../edge/call.ts';
import { type FormOptions, readForm } from '../forms/read-form.ts';
import type { ReceivedForm } from '../forms/receive-form.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import { fileObjectIn } from '../responses/file-object.ts';

/** POST /stamps/upload-stamped-file, in the order of the specification; the form streams into staging. */
export function uploadStampedFileRoute(
  options: FormOptions & {
    readonly collections: CollectionLookup;
    readonly upload: (request: UploadRequest) => Promise<UploadAnswer>;
  },
): Handler {
  const { collections, upload } = options;
  const receiveContent: ReceiveContent = (...given) => processed(() => options.receiveContent(...given));

  return async (call) => {
    const received = await readForm(call, { ...options, receiveContent });
    let content = received.file?.content;
    try {
      const form = readFields(received);
      const collection = await find(collections, call.account, form.collection);
      if (content === undefined) {
        const data = received.data ?? Buffer.alloc(0);
        content = await receiveContent(call.account, [data], { maxBytes: data.length, announced: data.length });
      }
      const brought = content;
      const staged = await processed(() => brought.keep(form.content.fileName));
      const answer = await upload({
        account: call.account,
        collection,
        content: staged,
        received: brought,
        onGone: (ended) => call.onGone(ended),
        trace: call.trace,
      });
      return response(call, answer, staged.objectCid);
    } finally {
      await content?.discard();
    }
  };
}

function readFields({ texts, data, file }: ReceivedForm): UploadForm {
  const form = readUploadForm({ texts, data: data && { size: data.length }, file: file && { name: file.name } });
  if (isFault(form)) throw invalid(form.field, form.fault);
  return form;
}

/** The account's collection, first by its name; a CID given with it must match. */
async function find(
  collections: CollectionLookup,
  account: Hex,
  { folded, cid }: UploadForm['collection'],
): Promise<CollectionView> {
  const key = folded === undefined ? cid && { account, cid } : { account, folded };
  const found = key === undefined ? undefined : await collections(key);
  if (found === undefined) throw new HttpError(404, 'Collection not found');
  if (cid !== undefined && found.cid !== cid)
    throw invalid('collection_cid', `does not match the collection named ${found.name}`);
  return found;
}

/** An error that is neither an invalid request nor an unavailable service: the content cannot be processed. */
async function processed<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError || error instanceof ClientGoneError || isNeighbourFault(error)) throw error;
    throw new HttpError(500, 'Failed to process file for object CID generation', { cause: error });
  }
}

function response(call: Call, answer: UploadAnswer, objectCid: Hex): Answer {
  switch (answer.kind) {
    case 'created':
    case 'existing':
      return {
        status: answer.kind === 'created' ? 201 : 200,
        body: { commitment_receipt: commitmentReceipt(answer.receipt), ...fileObjectIn(answer.file) },
        ...(answer.stampId === undefined ? {} : { headers: { Location: call.urlOf(`/stamps/${answer.stampId}`) } }),
      };
    case 'no-records':
      throw new HttpError(404, `No records found for this object_cid: ${objectCid}`);
    case 'refused':
      throw refusalError(answer.refusal);
    case 'pending':
      throw pending('the content is not stored yet', {
        details: 'it goes on; repeat the request to learn of its file',
      });
  }
}
