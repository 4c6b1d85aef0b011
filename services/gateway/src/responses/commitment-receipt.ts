import { checksumAddress, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { components } from '../generated/openapi.ts';

export const commitmentReceipt = (receipt: Receipt): components['schemas']['CommitmentReceipt'] => ({
  transaction_hash: receipt.transactionHash,
  user_address: checksumAddress(receipt.account),
  set_cid: receipt.setCid,
  object_cid: receipt.objectCid,
  timestamp: receiptTime(receipt.blockTime),
  chain_id: receipt.chainId,
});
