import type { Receipt } from '@indelible/messages';
import { commitmentReceipt } from '../../api/responses/commitment-receipt.ts';
import type { HttpError } from '../../errors/http-error.ts';
import type { LineResult, Slot } from './answer-queue.ts';

type Place = Pick<Slot, 'line' | 'clientRef'>;

/** Result lines: StampBatchResult of the document. */
export const answerLine = {
  receipt: (place: Place, status: 'created' | 'repeated', receipt: Receipt): LineResult => ({
    status,
    text: textOf({ ...beginningOf(place), status, commitment_receipt: commitmentReceipt(receipt) }),
    block: receipt.blockNumber,
  }),
  pending: (place: Place, id: string): LineResult => ({
    status: 'pending',
    text: textOf({ ...beginningOf(place), status: 'pending', id }),
    block: 0,
  }),
  /** A 503 may be retried, a 429 on another day. */
  failed(place: Place, error: HttpError): LineResult {
    const retryable = error.status === 503 || error.status === 429;
    const text = textOf({ ...beginningOf(place), status: 'failed', ...faultOf(error), retryable });
    return { status: 'failed', text, block: 0, ...(retryable ? { refusesWhole: error } : {}) };
  },
  /** The last line of an answer that ends before its batch: nothing from this line on was taken. */
  ended: (line: number, error: HttpError): LineResult => ({
    status: 'ended',
    text: textOf({ line, status: 'ended', ...faultOf(error) }),
    block: 0,
    refusesWhole: error,
  }),
};

const textOf = (result: object): string => `${JSON.stringify(result)}\n`;

const beginningOf = ({ line, clientRef }: Place) => ({ line, client_ref: clientRef });

const faultOf = ({ message, details }: HttpError) => ({ error: message, details });
