import { RpcAnswerError, RpcUnavailableError } from './errors.ts';
import type { RpcOutcome } from './port.ts';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Reads the answer to one request.
 * @throws RpcUnavailableError when it is none, is to another request, or is the endpoint's refusal of its customer
 */
export function readOutcome(answer: unknown, id: number, method: string, host: string): RpcOutcome {
  if (!isObject(answer)) throw new RpcUnavailableError(`${host} gave no answer to ${method}`);
  const error = answer.error;
  if (isObject(error)) {
    const code = typeof error.code === 'number' ? error.code : 0;
    const message = typeof error.message === 'string' ? error.message : 'no message';
    // A node that could not read the request answers with the id null, and so does a gateway that refuses it.
    if (answer.id !== id && answer.id !== null && answer.id !== undefined)
      throw new RpcUnavailableError(`${host} answered another request`);
    const refusal = new RpcAnswerError(method, code, message, error.data);
    if (refusal.meaning.kind === 'rate-limited') throw rateLimited(refusal, host);
    return { ok: false, error: refusal };
  }
  if (answer.id !== id) throw new RpcUnavailableError(`${host} answered another request`);
  if (!('result' in answer)) throw new RpcUnavailableError(`${host} gave no result to ${method}`);
  return { ok: true, result: answer.result };
}

/** Reads the answers to a batch whose ids count up from the first. @throws RpcUnavailableError as above */
export function readOutcomes(
  answer: unknown,
  firstId: number,
  methods: readonly string[],
  host: string,
): readonly RpcOutcome[] {
  if (!Array.isArray(answer)) {
    const refused = isObject(answer) && isObject(answer.error);
    const outcome = refused ? readOutcome({ ...answer, id: null }, firstId, methods[0] as string, host) : undefined;
    const why = outcome?.ok === false ? outcome.error.message : 'no array';
    throw new RpcUnavailableError(`${host} refused a batch: ${why}`);
  }
  const byId = new Map(answer.map((each: unknown) => [isObject(each) ? each.id : undefined, each]));
  return methods.map((method, i) => readOutcome(byId.get(firstId + i), firstId + i, method, host));
}

function rateLimited(error: RpcAnswerError, host: string): RpcUnavailableError {
  const after = error.meaning.kind === 'rate-limited' ? error.meaning.retryAfterMs : undefined;
  return new RpcUnavailableError(`${host} refused: ${error.message}`, {
    cause: error,
    fault: 'rate-limited',
    ...(after === undefined ? {} : { retryAfterMs: after }),
  });
}
