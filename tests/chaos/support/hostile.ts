import { connect, type Socket } from 'node:net';
import { functionSelectors } from '@indelible/commitment-contract';
import { topics } from '@indelible/messages';
import { publishAsService, unstorableMessages } from '../../hostile/support/poison.ts';
import { poison } from '../../outages/support/disturbances.ts';
import type { Fault } from './faults.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** An account of anvil's own that the service does not know, with plenty of coin. */
const stranger = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const gwei = 1_000_000_000n;
/** The usual fee on this chain. */
const usualFee = gwei;
const maxStanding = 60;

/** What strangers, clients and tenants may do at any time, beside the faults of the service's own parts. */
export function createHostility(world: World) {
  const { anvil, connection } = world;
  const standing = new Set<Socket>();
  const port = Number(new URL(connection.rootUrl).port);
  const account = connection.userAddress.toLowerCase() as `0x${string}`;
  const authorization = `Authorization: Bearer ${connection.apiKey}`;

  async function post(path: string, body: string, type: string): Promise<void> {
    const headers = { authorization: `Bearer ${connection.apiKey}`, 'content-type': type };
    const url = `${connection.rootUrl}/api/v1${path}`;
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) }).catch(
      // A gateway that is killed closes its connections.
      () => undefined,
    );
    if (response === undefined) return;
    await response.arrayBuffer();
    if (response.status >= 500 && response.status !== 503) throw new Error(`${path} was answered ${response.status}`);
  }

  function stand(bytes: string): void {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).once('close', () => standing.delete(socket));
    socket.pause().write(bytes);
    standing.add(socket);
    const [oldest] = standing;
    if (standing.size > maxStanding) oldest?.resetAndDestroy();
  }

  function choose(random: Random): Fault {
    return random.weighted<() => Fault>([
      [
        4,
        () => ({
          name: 'a collection of arbitrary Unicode',
          make: () =>
            post(
              '/collections',
              JSON.stringify({ name: unicode(random), description: unicode(random) }),
              'application/json',
            ),
        }),
      ],
      [
        3,
        () => ({
          name: 'a form of arbitrary Unicode',
          make: () =>
            post(
              '/stamps',
              // Never a stamp: the CID is one digit short.
              new URLSearchParams({
                data_cid: `0x${'a'.repeat(63)}`,
                collection_name: unicode(random),
                file_name: unicode(random),
              }).toString(),
              'application/x-www-form-urlencoded',
            ),
        }),
      ],
      [
        2,
        () => ({
          name: 'a verification of arbitrary Unicode',
          make: () =>
            post(
              '/collections/verify',
              JSON.stringify({ collection_name: unicode(random), objects: [], context: { note: unicode(random) } }),
              'application/json',
            ),
        }),
      ],
      [
        6,
        () => {
          const data = rawCall(random);
          const call = { from: stranger, to: connection.contractAddress, data, gas: '0x7a120' };
          return { name: "a stranger's raw call", make: () => anvil.request<void>('eth_sendTransaction', [call]) };
        },
      ],
      [
        1,
        () => {
          const fee = gwei * 10n ** BigInt(2 + random.below(5));
          return { name: 'fees spike', make: () => setBaseFee(fee) };
        },
      ],
      [2, () => ({ name: 'fees fall', make: () => setBaseFee(usualFee) })],
      [
        3,
        () => ({
          name: 'a connection that stands still in its body',
          make: async () =>
            stand(
              `POST /api/v1/collections/verify HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Type: application/json\r\n` +
                'Content-Length: 100000\r\n\r\n{"objects":[',
            ),
        }),
      ],
      [
        2,
        () => ({
          name: 'a connection that never reads its answer',
          make: async () => stand(`GET /api/v1/collections HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`.repeat(20)),
        }),
      ],
      [2, () => ({ name: 'CONNECT and a reset', make: async () => reset('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n') })],
      [
        1,
        () => ({
          name: 'what nobody can read, in every topic',
          make: () =>
            poison(
              connection.kafkaBrokers,
              Object.keys(topics).map((topic) => `${world.topicPrefix}${topic}`),
            ),
        }),
      ],
      [
        1,
        () => ({
          name: 'what no database can hold, in every topic with text',
          make: () => publishAsService(connection, world.topicPrefix, unstorableMessages(account)),
        }),
      ],
    ])();
  }

  function reset(bytes: string): void {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).write(bytes, () => socket.resetAndDestroy());
  }

  const setBaseFee = (fee: bigint): Promise<void> =>
    anvil.request<void>('anvil_setNextBlockBaseFeePerGas', [`0x${fee.toString(16)}`]);

  return {
    choose,
    /** Ends what is stalled, and resets the fees. */
    async end(): Promise<void> {
      for (const socket of standing) socket.destroy();
      await setBaseFee(usualFee);
    },
  };
}

/** Text of any kind: control characters, lone surrogates, letters of all planes. */
function unicode(random: Random): string {
  const units = Array.from({ length: 1 + random.below(24) }, () =>
    random.weighted<() => number>([
      [6, () => 0x20 + random.below(0x5f)],
      [2, () => random.below(0x20)],
      [1, () => 0x7f + random.below(0x21)],
      [1, () => 0xd800 + random.below(0x800)],
      [4, () => random.below(0x10000)],
    ])(),
  );
  return String.fromCharCode(...units);
}

/** A function of the contract with words that are small, huge, dirty, or places in the call data itself. */
function rawCall(random: Random): string {
  const selector = random.pick(Object.values(functionSelectors));
  const word = (): string =>
    random.weighted<() => string>([
      [3, () => (32 * random.below(12)).toString(16).padStart(64, '0')],
      [2, () => random.below(4).toString(16).padStart(64, '0')],
      [2, () => 'f'.repeat(64)],
      [1, () => `${'0'.repeat(23)}1${random.bytes(20).toString('hex')}`],
      [2, () => random.bytes(32).toString('hex')],
    ])();
  const words = Array.from({ length: random.below(16) }, word);
  return `${selector}${words.join('')}`;
}
