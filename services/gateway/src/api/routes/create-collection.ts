import { isZeroCid, parseCid, parseCollectionName } from '@indelible/identifiers';
import { HttpError, invalid, pending } from '../../errors/http-error.ts';
import { refusalError } from '../../errors/refusal-error.ts';
import type { CollectionAnswer, CollectionRequest } from '../../use-cases/collections/create-collection.ts';
import type { Handler } from '../edge/call.ts';
import type { components } from '../generated/openapi.ts';
import { collectionBody } from '../responses/collection.ts';

/** POST /collections: responds when the collection is on the chain. */
export function createCollectionRoute(options: {
  readonly createCollection: (request: CollectionRequest) => Promise<CollectionAnswer>;
}): Handler {
  return async (call) => {
    const body = call.json as components['schemas']['CreateCollectionRequest'];
    const name = parseCollectionName(body.name);
    if ('fault' in name) throw invalid('name', name.fault);
    const cid = body.cid == null ? null : (parseCid(body.cid) ?? null);
    if (cid !== null && isZeroCid(cid)) throw invalid('cid', 'must not be the zero CID');
    const answer = await options.createCollection({
      account: call.account,
      name: name.name,
      cid,
      description: body.description ?? null,
      isPinned: body.is_pinned ?? false,
      onGone: (ended) => call.onGone(ended),
      trace: call.trace,
    });
    switch (answer.kind) {
      case 'created':
        return { status: 201, body: collectionBody(answer.collection) };
      case 'exists':
        throw new HttpError(409, 'collection already exists', {
          details: `${answer.taken}: ${answer.collection[answer.taken]}`,
        });
      case 'refused':
        throw refusalError(answer.refusal);
      case 'pending':
        throw pending('the collection is not on the chain yet', {
          details: `${answer.registered ? 'it is registered; ' : ''}repeat the request to wait for it`,
        });
    }
  };
}
