import type { AccountSettings } from '@indelible/accounts';
import { type Hex, isZeroCid, parseCid } from '@indelible/identifiers';
import { invalid } from '../../errors/http-error.ts';
import type { ReceiptList } from '../../neighbours/verification.ts';
import { RefusedQueryError } from '../../neighbours/verification-stream.ts';
import type { NewestBlocks } from '../../use-cases/stamping/newest-block.ts';
import { type Handler, JsonStream } from '../edge/call.ts';
import type { components } from '../generated/openapi.ts';
import { withTimezone } from '../responses/with-timezone.ts';

/**
 * POST /stamps/verify: any number of receipts stream from the verification service, once it holds all that this account
 * was notified of (I9).
 */
export function verifyStampsRoute(options: {
  readonly listReceipts: ReceiptList;
  readonly newestBlocks: Pick<NewestBlocks, 'minBlockFor'>;
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
}): Handler {
  return async (call) => {
    const body = call.json as components['schemas']['VerifyStampsRequest'];
    const cids = [...new Set(body.cids.map(readCid))];
    const [minBlock, settings] = await Promise.all([
      options.newestBlocks.minBlockFor(call.account),
      options.settingsOf(call.account),
    ]);
    const { limit, cursor } = body;
    const query = {
      cids,
      ...(body.filter_by_user === true ? { owner: call.account } : {}),
      minBlock,
      ...(limit == null ? {} : { limit }),
      ...(cursor == null ? {} : { cursor }),
    };
    const receipts = await options.listReceipts(query, call.gone).catch((error: unknown) => {
      if (cursor != null && error instanceof RefusedQueryError)
        throw invalid('cursor', 'must be the next_cursor of an answer to the same cids');
      throw error;
    });
    return { status: 200, body: new JsonStream(withTimezone(receipts, settings?.displayTimezone ?? 'UTC')) };
  };
}

function readCid(text: string, i: number): Hex {
  const cid = parseCid(text);
  if (cid === undefined) throw invalid(`cids/${i}`, 'must be a CID: 0x and 64 hex digits');
  if (isZeroCid(cid)) throw invalid(`cids/${i}`, 'must not be the zero CID');
  return cid;
}
