import { serviceNames } from '@indelible/launcher';
import type { ProxyFault } from '@indelible/testing';
import { withoutLogs } from '@indelible/testing';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** A fault for one step: its name, and how to make it. */
export type Fault = { readonly name: string; readonly make: () => Promise<void> };

const rpcFaults: readonly (readonly [name: string, method: string, fault: ProxyFault])[] = [
  ['node: broadcast taken, never answered', 'eth_sendRawTransaction', { kind: 'swallow' }],
  [
    'node: broadcast already known',
    'eth_sendRawTransaction',
    { kind: 'error', code: -32000, message: 'already known' },
  ],
  ['node: nonce too low', 'eth_sendRawTransaction', { kind: 'error', code: -32000, message: 'nonce too low' }],
  ['node: nonce too high', 'eth_sendRawTransaction', { kind: 'error', code: -32000, message: 'nonce too high' }],
  [
    'node: underpriced',
    'eth_sendRawTransaction',
    { kind: 'error', code: -32000, message: 'replacement transaction underpriced' },
  ],
  ['node: 429', '*', { kind: 'status', status: 429, retryAfter: '1' }],
  ['node: 502', '*', { kind: 'status', status: 502, body: '<html>bad gateway</html>' }],
  ['node: answer truncated', '*', { kind: 'truncate' }],
  ['node: connection reset', '*', { kind: 'reset' }],
  ['node: broken off in the answer', '*', { kind: 'break-off' }],
  ['node: logs left out', 'eth_getLogs', withoutLogs],
  ['node: no receipts', 'eth_getTransactionReceipt', { kind: 'result', result: null }],
];

/** A random fault, with its place and depth. */
export function chooseFault(random: Random, world: World): Fault {
  const { anvil, nodes, stack } = world;
  return random.weighted<() => Fault>([
    [
      10,
      () => {
        const [name, method, fault] = random.pick(rpcFaults);
        const service = random.pick(['stamping', 'chain-indexer'] as const);
        const times = 1 + random.below(4);
        return { name: `${name} (${service})`, make: async () => nodes[service].behave(method, fault, times) };
      },
    ],
    [
      3,
      () => {
        const service = random.pick(serviceNames);
        return { name: `SIGKILL ${service}`, make: () => stack.services[service].kill() };
      },
    ],
    [
      6,
      () => {
        const depth = 1 + random.below(6);
        return { name: `reorg of ${depth}`, make: () => anvil.reorg(depth) };
      },
    ],
    [1, () => ({ name: 'the pool forgets all', make: () => anvil.request('anvil_dropAllTransactions') })],
    [1, () => ({ name: 'Redis forgets all', make: () => world.forgetRedis() })],
    [
      1,
      () => ({
        name: 'the base fee leaps',
        make: () => anvil.request('anvil_setNextBlockBaseFeePerGas', [`0x${(2n * 10n ** 10n).toString(16)}`]),
      }),
    ],
    [
      1,
      () => {
        const blocks = 1 + random.below(3);
        const make = async () => nodes['chain-indexer'].lag(blocks);
        return { name: `the indexer's node lags by ${blocks}`, make };
      },
    ],
    [1, () => ({ name: 'the nodes heal', make: async () => Object.values(nodes).forEach((node) => void node.heal()) })],
  ])();
}
