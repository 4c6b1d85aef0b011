import type { AccountSettings } from '@indelible/accounts';
import { type Hex, isZeroCid, parseCid } from '@indelible/identifiers';
import type { components } from '../generated/openapi.ts';
import type { Handler } from '../http/call.ts';
import { HttpError, invalid } from '../http/errors.ts';
import type { ChainHead } from '../neighbours/chain-head.ts';
import { TooManyReceiptsError, type Verification } from '../neighbours/verification.ts';
import { commitmentReceipt } from '../responses/commitment-receipt.ts';
import type { NewestBlocks } from '../stamping/newest-block.ts';

/** POST /stamps/verify: asks the verification service, once it knows all that this account was told (I9). */
export function verifyStampsRoute(options: {
  readonly verification: Verification;
  readonly newestBlocks: Pick<NewestBlocks, 'of'>;
  readonly chainHead: ChainHead;
  readonly chainId: number;
  readonly settingsOf: (account: Hex) => Promise<AccountSettings | undefined>;
}): Handler {
  return async (call) => {
    const asked = call.json as components['schemas']['VerifyStampsRequest'];
    const cids = [...new Set(asked.cids.map(readCid))];
    const [number, settings] = await Promise.all([
      options.newestBlocks.of(call.account).then((newest) => newest ?? options.chainHead()),
      options.settingsOf(call.account),
    ]);
    const receipts = await options.verification
      .lookup({
        cids,
        ...(asked.filter_by_user === true ? { owner: call.account } : {}),
        minBlock: { chainId: options.chainId, number },
      })
      .catch((error: unknown) => {
        if (error instanceof TooManyReceiptsError)
          throw new HttpError(413, 'too many stamps for one answer', { details: 'cids: ask for fewer at once' });
        throw error;
      });
    const body: components['schemas']['VerificationResult'] = {
      display_timezone: settings?.displayTimezone ?? 'UTC',
      stamp_list: receipts.map(commitmentReceipt),
    };
    return { status: 200, body };
  };
}

function readCid(text: string, i: number): Hex {
  const cid = parseCid(text);
  if (cid === undefined) throw invalid(`cids/${i}`, 'must be a CID: 0x and 64 hex digits');
  if (isZeroCid(cid)) throw invalid(`cids/${i}`, 'must not be the zero CID');
  return cid;
}
