import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ISocketFactory } from 'kafkajs';
import { readTopicOffsets } from '../src/topic-offsets.ts';
import { createTestBus, silentLogger, type TestBus } from './harness.ts';
import { contracts, failedStamp } from './messages-for-tests.ts';

let topics: TestBus;

beforeEach(async () => {
  topics = await createTestBus();
}, 60_000);
afterEach(() => topics.dispose(), 60_000);

const LIST_OFFSETS = 2;
const NOT_LEADER = 6;

/**
 * Connections on which the first answers to ListOffsets say of a partition that its broker does not lead it, as a broker does that has not
 * heard of it yet. Of a response (version 2): size, correlation id, throttle time, topics, name, partitions, partition, error.
 */
const connectionsToAFollower = (answers: number): { openSocket: ISocketFactory; said: () => number } => {
  let said = 0;
  const openSocket: ISocketFactory = ({ host, port, onConnect }) => {
    const requested = new Set<number>();
    const socket = net.connect({ host, port }, onConnect);
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    const emit = socket.emit.bind(socket) as (...args: unknown[]) => boolean;
    const writing = (request: Buffer, ...rest: unknown[]) => {
      if (request.readInt16BE(4) === LIST_OFFSETS) requested.add(request.readInt32BE(8));
      return write(request, ...rest);
    };
    const emitting = (event: string | symbol, ...args: unknown[]) => {
      const [response] = args;
      if (
        event === 'data' &&
        Buffer.isBuffer(response) &&
        said < answers &&
        requested.delete(response.readInt32BE(4))
      ) {
        const afterName = 16 + 2 + response.readInt16BE(16);
        response.writeInt16BE(NOT_LEADER, afterName + 4 + 4);
        said += 1;
      }
      return emit(event, ...args);
    };
    Object.assign(socket, { write: writing, emit: emitting });
    return socket;
  };
  return { openSocket, said: () => said };
};

describe('the offsets of topics', () => {
  it('are requested again while a broker says that it does not lead a partition', async () => {
    const publisher = topics.stopLater(topics.bus.createPublisher({ contracts }));
    await publisher.start();
    await publisher.publish([failedStamp(randomUUID(), 'a'), failedStamp(randomUUID(), 'b')]);
    const topic = `${topics.prefix}events.stamps`;
    const { openSocket, said } = connectionsToAFollower(2);
    const connection = { brokers: topics.brokers, clientId: 'a-follower', logger: silentLogger, openSocket };
    const offsets = await readTopicOffsets(connection, [topic]);
    expect(said()).toBe(2);
    expect(offsets.every((each) => each.topic === topic && each.low === 0n)).toBe(true);
    expect(offsets.reduce((sum, { high }) => sum + high, 0n)).toBe(2n);
  }, 60_000);
});
