import { profileOf } from '../chain-profiles.ts';
import { createBroadcasting } from './broadcasting.ts';
import { closedError, createEndpoint } from './endpoint.ts';
import { createHedgeBudget } from './hedge.ts';
import { createMember, type Member } from './member.ts';
import { broadcastMethod } from './node-answers.ts';
import { untilAborted } from './pause.ts';
import type { RpcCallOptions, RpcClient, RpcSettings } from './port.ts';
import { createReading } from './reading.ts';
import { createRoster } from './roster.ts';
import { createSeenHead } from './seen-head.ts';

const defaultMaxResponseBytes = 64 * 1024 * 1024;

/**
 * A JSON-RPC client over HTTP. Reads go to the first healthy endpoint, to the next when it fails, lags, lacks the
 * block, or is slow; broadcasts go to all healthy ones.
 * @throws TypeError without a URL, or if one is not http or https
 */
export function createRpc(settings: RpcSettings): RpcClient {
  if (settings.urls.length === 0) throw new TypeError('an RPC client needs at least one endpoint');
  const { logger, onEvent, timeoutMs } = settings;
  const now = (): number => performance.now();
  const closing = new AbortController();
  const usualLag = settings.chainId === undefined ? 3 : profileOf(settings.chainId).maxLagBlocks;
  const seenHead = createSeenHead(settings.maxLagBlocks ?? usualLag, now);
  let lastId = 0;
  const nextIds = (count: number): number => {
    lastId += count;
    return lastId - count + 1;
  };

  const members = settings.urls.map((url): Member => {
    const maxResponseBytes = settings.maxResponseBytes ?? defaultMaxResponseBytes;
    const endpoint = createEndpoint({ url, timeoutMs, maxResponseBytes, closing: closing.signal });
    const { host } = endpoint;
    return createMember({
      endpoint,
      chainId: settings.chainId,
      seenHead,
      nextIds,
      now,
      onFault: (error) => {
        logger?.warn({ host, fault: error.message }, 'an RPC endpoint is unavailable');
        onEvent?.({ kind: 'fault', host, fault: error.fault });
      },
      onWrongChain: (chainId) => {
        logger?.warn({ host, chainId, expected: settings.chainId }, 'RPC endpoint serves another chain; not used');
        onEvent?.({ kind: 'out', host, reason: 'wrong-chain' });
      },
      onRecovered: () => onEvent?.({ kind: 'back', host }),
    });
  });
  const roster = createRoster(members, seenHead);
  const headMaxAgeMs = members.length > 1 ? (settings.headMaxAgeMs ?? 1_000) : undefined;
  const refreshHeads = (): void => {
    if (headMaxAgeMs === undefined) return;
    for (const member of members)
      if (!member.chain.isOut() && !member.health.resting()) void member.refreshHead(headMaxAgeMs);
  };
  const read = createReading({
    roster,
    seenHead,
    budget: createHedgeBudget(settings.hedgeShare ?? 0.1),
    rounds: settings.rounds ?? 3,
    totalMs: settings.totalMs ?? 3 * timeoutMs,
    timeoutMs,
    hedgeAfterMs: settings.hedgeAfterMs,
    headMaxAgeMs,
    now,
    refreshHeads,
    onHedge: (event) => onEvent?.({ kind: 'hedged', ...event }),
  });
  const broadcast = createBroadcasting(roster);

  /** Under the caller's signal, if any, and this client's. */
  const guarded = async <Result>(
    act: (signal: AbortSignal) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    signal?.throwIfAborted();
    if (closing.signal.aborted) throw closedError();
    return untilAborted(act, signal === undefined ? [closing.signal] : [closing.signal, signal]);
  };

  const findChainId = async (): Promise<number> => {
    let other: number | undefined;
    let last: unknown;
    for (const member of members) {
      try {
        const reported = await member.chain.chainId();
        if (settings.chainId === undefined || reported === settings.chainId) return reported;
        other ??= reported;
      } catch (error) {
        last = error;
      }
    }
    if (other === undefined) throw last;
    return other;
  };
  let chainId: Promise<number> | undefined;

  return {
    call: async <Result>(method: string, params: readonly unknown[], options?: RpcCallOptions): Promise<Result> => {
      const call = { method, params };
      const outcome =
        method === broadcastMethod
          ? await guarded((signal) => broadcast(call, signal), options?.signal)
          : (await guarded((signal) => read([call], false, signal), options?.signal))[0];
      if (outcome?.ok !== true) throw outcome?.error;
      return outcome.result as Result;
    },
    batch: async (calls, options) => {
      if (calls.length === 0) return [];
      if (calls.some(({ method }) => method === broadcastMethod)) throw new TypeError('a batch takes no broadcasts');
      return guarded((signal) => read(calls, true, signal), options?.signal);
    },
    chainId: () => {
      chainId ??= guarded(findChainId, undefined);
      // A failure is not remembered.
      chainId.catch(() => {
        chainId = undefined;
      });
      return chainId;
    },
    close: () => closing.abort(closedError()),
    endpoints: () =>
      members.map((member) => ({
        host: member.host,
        isWell: !member.chain.isOut() && !member.health.resting() && !member.health.limited() && !roster.lags(member),
        chain: member.chain.state(),
        consecutiveFaults: member.health.faults(),
        latencyMs: member.health.latency.single.mean(),
        head: member.head(),
      })),
    inspect: async () => {
      await Promise.allSettled(members.flatMap((member) => [member.chain.chainId(), member.refreshHead(-1)]));
    },
  };
}
