import { readOutcome, readOutcomes } from './answers.ts';
import { type ChainCheck, createChainCheck } from './chain-check.ts';
import type { Endpoint } from './endpoint.ts';
import { RpcUnavailableError } from './errors.ts';
import { createHealth, type Health } from './health.ts';
import { untilAborted } from './pause.ts';
import type { RpcCall, RpcOutcome } from './port.ts';
import { reportedHead } from './questions.ts';
import type { SeenHead } from './seen-head.ts';

/** The reason for cancelling a request that another endpoint has answered. */
export const answeredElsewhere = new Error('another endpoint has answered');

/** One of a client's endpoints, with what is known of it. */
export type Member = {
  readonly host: string;
  readonly health: Health;
  readonly chain: Pick<ChainCheck, 'state' | 'isOut' | 'chainId'>;
  /** The highest block it reported; undefined before the first. */
  head(): number | undefined;
  /** Reads its head; undefined when it was reported recently. Never rejects. */
  refreshHead(maxAgeMs: number): Promise<void> | undefined;
  /** @throws RpcUnavailableError, or the signal's reason */
  ask(calls: readonly RpcCall[], asBatch: boolean, signal: AbortSignal | undefined): Promise<readonly RpcOutcome[]>;
};

export type MemberSettings = {
  readonly endpoint: Endpoint;
  /** The expected chain; undefined: any. */
  readonly chainId: number | undefined;
  readonly seenHead: SeenHead;
  readonly nextIds: (count: number) => number;
  readonly now: () => number;
  readonly onFault: (error: RpcUnavailableError) => void;
  readonly onWrongChain: (chainId: number) => void;
  /** It is usable again. */
  readonly onRecovered: () => void;
};

export function createMember(settings: MemberSettings): Member {
  const { endpoint, seenHead, now, onRecovered } = settings;
  const { host } = endpoint;
  const health = createHealth(now);
  let head: number | undefined;
  let headAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;

  const noteFault = (error: RpcUnavailableError): void => {
    health.noteFault(error);
    chain.doubt();
    settings.onFault(error);
  };

  const noteHeads = (calls: readonly RpcCall[], outcomes: readonly RpcOutcome[]): void => {
    for (const [i, call] of calls.entries()) {
      const outcome = outcomes[i];
      const reported = outcome?.ok ? reportedHead(call, outcome.result) : undefined;
      if (reported === undefined) continue;
      head = reported;
      headAt = now();
      seenHead.note(reported);
    }
  };

  const exchange = async (
    calls: readonly RpcCall[],
    asBatch: boolean,
    signal: AbortSignal | undefined,
  ): Promise<readonly RpcOutcome[]> => {
    const began = now();
    const latency = health.latency[asBatch ? 'batch' : 'single'];
    const firstId = settings.nextIds(calls.length);
    const bodies = calls.map(({ method, params }, i) => ({ jsonrpc: '2.0', id: firstId + i, method, params }));
    const methods = calls.map(({ method }) => method);
    try {
      const answer = await endpoint.send(JSON.stringify(asBatch ? bodies : bodies[0]), signal);
      const outcomes = asBatch
        ? readOutcomes(answer, firstId, methods, host)
        : [readOutcome(answer, firstId, methods[0] as string, host)];
      latency.add(now() - began);
      if (health.faults() > 0) onRecovered();
      health.noteAnswer();
      noteHeads(calls, outcomes);
      return outcomes;
    } catch (error) {
      if (error === answeredElsewhere) {
        // It took at least this long.
        latency.add(now() - began);
        if (health.noteLoss()) noteFault(new RpcUnavailableError(`${host} is slower than the others`));
      }
      if (error instanceof RpcUnavailableError && error.fault !== 'closed') noteFault(error);
      throw error;
    }
  };

  const chain = createChainCheck({
    host,
    expected: settings.chainId,
    now,
    onWrong: settings.onWrongChain,
    onRight: onRecovered,
    ask: async () => {
      const [outcome] = await exchange([{ method: 'eth_chainId', params: [] }], false, undefined);
      if (outcome?.ok) return outcome.result;
      throw new RpcUnavailableError(`${host} does not tell its chain id`, { cause: outcome?.error });
    },
  });

  const askHead = async (): Promise<void> => {
    // Another chain's head says nothing about lag on this one.
    await chain.require();
    await exchange([{ method: 'eth_blockNumber', params: [] }], false, undefined);
  };

  return {
    host,
    health,
    chain,
    head: () => head,
    refreshHead: (maxAgeMs) => {
      if (now() - headAt <= maxAgeMs) return undefined;
      refreshing ??= askHead()
        .catch(() => undefined)
        .finally(() => {
          refreshing = undefined;
        });
      return refreshing;
    },
    ask: async (calls, asBatch, signal) => {
      await untilAborted(chain.require, signal === undefined ? [] : [signal]);
      return exchange(calls, asBatch, signal);
    },
  };
}
