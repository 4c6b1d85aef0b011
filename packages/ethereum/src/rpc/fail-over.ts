import type { Endpoint } from './endpoint.ts';
import { RpcUnavailableError } from './errors.ts';

/** Puts a question to the endpoints by some strategy: `ask` throws RpcUnavailableError where an endpoint cannot answer. */
export type Strategy = <Answer>(ask: (endpoint: Endpoint) => Promise<Answer>) => Promise<Answer>;

export type FailOverSettings = {
  readonly endpoints: readonly Endpoint[];
  /** How long an endpoint that failed stands behind the others. */
  readonly restMs: number;
  readonly now: () => number;
  readonly onUnavailable: (endpoint: Endpoint, error: RpcUnavailableError) => void;
};

/**
 * Asks the endpoints one after the other in the configured order, those that failed lately last, until one answers.
 * @returns a strategy that throws the last RpcUnavailableError when none answers
 */
export function createFailOver({ endpoints, restMs, now, onUnavailable }: FailOverSettings): Strategy {
  const restsUntil = new Map<Endpoint, number>();
  const inOrder = (): Endpoint[] => {
    const time = now();
    const resting = (endpoint: Endpoint): boolean => (restsUntil.get(endpoint) ?? 0) > time;
    return [...endpoints.filter((each) => !resting(each)), ...endpoints.filter(resting)];
  };
  return async (ask) => {
    let last: RpcUnavailableError | undefined;
    for (const endpoint of inOrder()) {
      try {
        const answer = await ask(endpoint);
        restsUntil.delete(endpoint);
        return answer;
      } catch (error) {
        if (!(error instanceof RpcUnavailableError)) throw error;
        restsUntil.set(endpoint, now() + restMs);
        onUnavailable(endpoint, error);
        last = error;
      }
    }
    throw last ?? new RpcUnavailableError('there is no RPC endpoint');
  };
}
