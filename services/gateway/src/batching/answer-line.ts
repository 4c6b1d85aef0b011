import { checksumAddress, type Hex, receiptTime } from '@indelible/identifiers';
import type { Receipt } from '@indelible/messages';
import type { HttpError } from '../http/errors.ts';
import type { LineResult, Slot } from './answer-queue.ts';

type Place = Pick<Slot, 'line' | 'clientRef'>;

/** Writes lines of the answer: StampBatchResult of the document, with the same receipts as elsewhere. */
export type AnswerWriter = {
  receipt(place: Place, status: 'created' | 'repeated', receipt: Receipt): LineResult;
  pending(place: Place, id: string): LineResult;
  /** A 503 may be tried again, and a 429 on another day. */
  failed(place: Place, error: HttpError): LineResult;
  /** The last line of an answer that ends before its batch: nothing from this line on was taken. */
  ended(line: number, error: HttpError): LineResult;
};

/**
 * By concatenation: what receipts hold is hex digits, a number and a time, so that only what the client wrote needs
 * JSON's escapes. The lines of a burst are of one owner and of few blocks: a checksum and a time are made once for them.
 */
export function createAnswerWriter(): AnswerWriter {
  let owner: { readonly account: Hex; readonly text: string } | undefined;
  let time: { readonly seconds: number; readonly text: string } | undefined;

  function receiptText(receipt: Receipt): string {
    if (owner?.account !== receipt.account)
      owner = { account: receipt.account, text: checksumAddress(receipt.account) };
    if (time?.seconds !== receipt.blockTime)
      time = { seconds: receipt.blockTime, text: receiptTime(receipt.blockTime) };
    return (
      `{"transaction_hash":"${receipt.transactionHash}","user_address":"${owner.text}","set_cid":"${receipt.setCid}"` +
      `,"object_cid":"${receipt.objectCid}","timestamp":"${time.text}","chain_id":${receipt.chainId}}`
    );
  }

  return {
    receipt: (place, status, receipt) => ({
      status,
      text: `${beginningOf(place)},"status":"${status}","commitment_receipt":${receiptText(receipt)}}\n`,
      block: receipt.blockNumber,
    }),
    pending: (place, id) => ({
      status: 'pending',
      text: `${beginningOf(place)},"status":"pending","id":${JSON.stringify(id)}}\n`,
      block: 0,
    }),
    failed(place, error) {
      const retryable = error.status === 503 || error.status === 429;
      const text = `${beginningOf(place)},"status":"failed",${faultText(error)},"retryable":${retryable}}\n`;
      return { status: 'failed', text, block: 0, ...(retryable ? { refusesWhole: error } : {}) };
    },
    ended: (line, error) => ({
      status: 'ended',
      text: `{"line":${line},"status":"ended",${faultText(error)}}\n`,
      block: 0,
      refusesWhole: error,
    }),
  };
}

const beginningOf = ({ line, clientRef }: Place): string =>
  clientRef === undefined ? `{"line":${line}` : `{"line":${line},"client_ref":${JSON.stringify(clientRef)}`;

const faultText = ({ message, details }: HttpError): string =>
  `"error":${JSON.stringify(message)}${details === undefined ? '' : `,"details":${JSON.stringify(details)}`}`;
