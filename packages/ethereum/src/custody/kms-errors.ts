import { SignerError, type SignerFault } from './signer-port.ts';

const throttlings: ReadonlySet<string> = new Set([
  'ThrottlingException',
  'LimitExceededException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
]);

/**
 * What a failed call of AWS KMS means. A 4xx is permanent (no permission; the key is disabled, unknown, about to be
 * deleted, or of another kind); anything else, including no response, may succeed later.
 */
export function signerErrorOf(error: unknown, keyId: string): SignerError {
  const { name, httpStatus } = shapeOf(error);
  const fault = faultOf(name, httpStatus);
  const what = { throttled: 'takes no more requests now', unavailable: 'is unavailable', refused: 'refuses' }[fault];
  return new SignerError(fault, `AWS KMS ${what}: ${name} (key ${keyId})`, { cause: error });
}

function faultOf(name: string, httpStatus: number | undefined): SignerFault {
  if (throttlings.has(name) || httpStatus === 429) return 'throttled';
  const isAnswer = httpStatus !== undefined && httpStatus >= 400 && httpStatus < 500 && httpStatus !== 408;
  return isAnswer ? 'refused' : 'unavailable';
}

function shapeOf(error: unknown): { readonly name: string; readonly httpStatus: number | undefined } {
  if (!(error instanceof Error)) return { name: 'unknown', httpStatus: undefined };
  const { httpStatusCode } = (error as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {};
  return { name: error.name, httpStatus: httpStatusCode };
}
