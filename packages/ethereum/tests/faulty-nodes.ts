import { eventually, type RpcFaultProxy, rpcFaultProxy, type TestAnvil, testAnvil } from '@indelible/testing';
import {
  addressOfPrivateKey,
  createRpc,
  estimateFees,
  getTransactionCount,
  getTransactionReceipt,
  type Rpc,
  type RpcClient,
  type RpcEvent,
  type RpcSettings,
  type SignedTransaction,
  signTransactionWithFees,
} from '../src/index.ts';

/** A chain, and two nodes of it that misbehave as told. */
export type FaultyNodes = {
  readonly anvil: TestAnvil;
  /** The first is asked by preference. */
  readonly first: RpcFaultProxy;
  readonly second: RpcFaultProxy;
  /** Straight to the chain. */
  readonly direct: RpcClient;
  /** What clients told of since the last `heal`. */
  readonly events: RpcEvent[];
  readonly warnings: object[];
  /** A client of both, unless told otherwise; closed by `stop`. Nothing is asked twice, or by itself. */
  client(settings?: Partial<RpcSettings>): RpcClient;
  /** A transfer to oneself, with the next nonce. */
  sign(): Promise<SignedTransaction>;
  /** Waits until the chain has it: anvil answers a broadcast before it has made the block. */
  included(transaction: SignedTransaction): Promise<void>;
  heal(): void;
  stop(): Promise<void>;
};

const privateKey = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex');
export const sender = addressOfPrivateKey(privateKey);

export async function startFaultyNodes(): Promise<FaultyNodes> {
  const anvil = await testAnvil();
  const proxies = await Promise.all([1, 2].map(() => rpcFaultProxy({ upstream: anvil.rpcUrl })));
  const [first, second] = proxies as [RpcFaultProxy, RpcFaultProxy];
  const events: RpcEvent[] = [];
  const warnings: object[] = [];
  const clients: Rpc[] = [];
  const client = (settings: Partial<RpcSettings> = {}): RpcClient => {
    const made = createRpc({
      urls: [first.url, second.url],
      timeoutMs: 10_000,
      hedgeShare: 0,
      headMaxAgeMs: Number.POSITIVE_INFINITY,
      logger: { warn: (fields) => warnings.push(fields) },
      onEvent: (event) => events.push(event),
      ...settings,
    });
    clients.push(made);
    return made;
  };
  const direct = client({ urls: [anvil.rpcUrl] });
  return {
    anvil,
    first,
    second,
    direct,
    events,
    warnings,
    client,
    sign: async () => {
      const nonce = await getTransactionCount(direct, sender, 'pending');
      const fees = await estimateFees(direct);
      const fields = { chainId: anvil.chainId, nonce, to: sender, data: '0x', gasLimit: 21_000 } as const;
      return signTransactionWithFees(fields, fees, privateKey);
    },
    included: ({ hash }) =>
      eventually(async () => {
        if ((await getTransactionReceipt(direct, hash)) === null) throw new Error('it is in no block');
      }),
    heal: () => {
      for (const proxy of proxies) proxy.heal();
      events.length = 0;
      warnings.length = 0;
    },
    stop: async () => {
      for (const each of clients) each.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await anvil.stop();
    },
  };
}
