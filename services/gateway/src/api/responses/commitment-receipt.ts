import { checksumAddress, type Hex, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { components } from '../generated/openapi.ts';

const maxShown = 10_000;
const shown = new Map<Hex, Hex>();

/** A checksum costs a hash: cached for accounts that stamp a lot. */
function shownAddress(account: Hex): Hex {
  let address = shown.get(account);
  if (address === undefined) {
    address = checksumAddress(account);
    if (shown.size >= maxShown) shown.clear();
    shown.set(account, address);
  }
  return address;
}

export const commitmentReceipt = (receipt: Receipt): components['schemas']['CommitmentReceipt'] => ({
  transaction_hash: receipt.transactionHash,
  user_address: shownAddress(receipt.account),
  set_cid: receipt.setCid,
  object_cid: receipt.objectCid,
  timestamp: receiptTime(receipt.blockTime),
  chain_id: receipt.chainId,
});
