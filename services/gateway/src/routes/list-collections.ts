import { type Hex, parseAddress } from '@indelible/identifiers';
import { parseBoolean } from '../decisions/field-values.ts';
import type { Handler } from '../http/call.ts';
import { HttpError, invalid } from '../http/errors.ts';
import type { CollectionView } from '../projections/collections.ts';
import { collectionBody } from '../responses/collection.ts';

/** GET /collections: the caller's own, or another account's public ones; newest first. */
export function listCollectionsRoute(options: {
  readonly accountExists: (account: Hex) => Promise<boolean>;
  readonly listCollections: (filter: {
    account: Hex;
    onlyPublic: boolean;
    isPinned: boolean | undefined;
  }) => Promise<readonly CollectionView[]>;
}): Handler {
  return async (call) => {
    const { user_address: given, is_pinned: pinned } = call.query;
    const owner = given === undefined ? call.account : parseAddress(given);
    if (owner === undefined) throw invalid('user_address', 'must be an address, with a right checksum in mixed case');
    if (owner !== call.account && !(await options.accountExists(owner)))
      throw new HttpError(404, 'User not found', { details: `user_address: ${given}` });
    const collections = await options.listCollections({
      account: owner,
      onlyPublic: owner !== call.account,
      isPinned: pinned === undefined ? undefined : parseBoolean(pinned),
    });
    return { status: 200, body: collections.map(collectionBody) };
  };
}
