import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  changeAnswer,
  isPassedOn,
  type ProxiedAnswer,
  type ProxiedCall,
  type ProxyFault,
  writeAnswer,
} from './rpc-fault-proxy-faults.ts';
import { type AskNode, answerWithLag } from './rpc-fault-proxy-lag.ts';

/** Calls of a method that wait at the proxy. */
export interface HeldCalls {
  /** The first has come. */
  readonly arrived: Promise<void>;
  /** The client gave up the first before its answer. */
  readonly abandoned: Promise<void>;
  /** Passes them on, and those that come later. */
  release(): void;
}

/** Proxies a client's node and misbehaves as configured; nothing in it depends on time. */
export interface RpcFaultProxy {
  readonly url: string;
  /** Every call that came, in order. */
  readonly calls: readonly ProxiedCall[];
  /** How many calls of a method came. */
  asked(method: string): number;
  /**
   * Applies the fault to later calls of the method (`*`: of any without its own fault), as often as given or until
   * `heal`.
   */
  behave(method: string, fault: ProxyFault, times?: number): void;
  hold(method: string): HeldCalls;
  /** Hides the node's newest blocks; 0: none. */
  lag(blocks: number): void;
  /** Ends the faults of one method, or all faults and the lag. */
  heal(method?: string): void;
  stop(): Promise<void>;
}

/** Removes the logs from answers: of eth_getLogs, or of receipts. */
export const withoutLogs: ProxyFault = {
  kind: 'change',
  change: (result) => {
    const bare = (receipt: unknown): unknown => (receipt === null ? null : { ...(receipt as object), logs: [] });
    if (!Array.isArray(result)) return bare(result);
    return result.filter((each) => 'logs' in each).map(bare);
  },
};

/** @param options.upstream the URL of the node */
export async function rpcFaultProxy({ upstream }: { readonly upstream: string }): Promise<RpcFaultProxy> {
  const calls: ProxiedCall[] = [];
  const faults = new Map<string, { readonly fault: ProxyFault; left: number }>();
  const holds = new Map<string, { opened: Promise<void>; come: () => void; leave: () => void }>();
  let lagBlocks = 0;

  const takeFault = (method: string): ProxyFault | undefined => {
    const key = faults.has(method) ? method : '*';
    const entry = faults.get(key);
    if (entry === undefined) return undefined;
    entry.left--;
    if (entry.left <= 0) faults.delete(key);
    return entry.fault;
  };
  const passOn = async (call: ProxiedCall): Promise<ProxiedAnswer> => {
    const lagging = lagBlocks > 0 ? await answerWithLag(call, lagBlocks, askNode(upstream)) : undefined;
    return lagging ?? post(upstream, call);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = JSON.parse(await textOf(request)) as ProxiedCall | ProxiedCall[];
    const asked = Array.isArray(body) ? body : [body];
    calls.push(...asked);
    for (const { method } of asked) {
      const held = holds.get(method);
      if (held === undefined) continue;
      response.once('close', () => response.writableEnded || held.leave());
      held.come();
      await held.opened;
    }
    const taken: ProxyFault[] = [];
    const answers: ProxiedAnswer[] = [];
    for (const call of asked) {
      const fault = takeFault(call.method);
      if (fault !== undefined) taken.push(fault);
      answers.push(changeAnswer(fault, call, isPassedOn(fault) ? await passOn(call) : undefined));
    }
    writeAnswer(response, JSON.stringify(Array.isArray(body) ? answers : answers[0]), taken);
  };

  const server = createServer((request, response) => {
    // An unreachable node shows as a broken connection.
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    asked: (method) => calls.filter((call) => call.method === method).length,
    behave: (method, fault, times = Number.POSITIVE_INFINITY) => void faults.set(method, { fault, left: times }),
    hold: (method) => {
      const arrival = Promise.withResolvers<void>();
      const leaving = Promise.withResolvers<void>();
      const opening = Promise.withResolvers<void>();
      holds.set(method, { opened: opening.promise, come: arrival.resolve, leave: leaving.resolve });
      return {
        arrived: arrival.promise,
        abandoned: leaving.promise,
        release: () => {
          holds.delete(method);
          opening.resolve();
        },
      };
    },
    lag: (blocks) => {
      lagBlocks = blocks;
    },
    heal: (method) => {
      if (method !== undefined) return void faults.delete(method);
      faults.clear();
      lagBlocks = 0;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const post = async (upstream: string, call: object): Promise<ProxiedAnswer> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(upstream, { method: 'POST', headers, body: JSON.stringify(call) });
  return (await response.json()) as ProxiedAnswer;
};

const askNode =
  (upstream: string): AskNode =>
  async (method, params) =>
    (await post(upstream, { jsonrpc: '2.0', id: 1, method, params })).result;
