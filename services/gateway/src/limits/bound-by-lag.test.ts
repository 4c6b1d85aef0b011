import { randomUUID } from 'node:crypto';
import { type OutgoingMessage, outgoing, PublisherBusyError } from '@indelible/kafka';
import { CreateCollection, type DataOf, type TopicName } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { boundByLag } from './bound-by-lag.ts';

const data: DataOf<typeof CreateCollection> = {
  requestId: randomUUID(),
  account: `0x${'1'.repeat(40)}`,
  name: 'First',
  cid: null,
  description: null,
  isPinned: false,
  replyTo: 'gateway-1',
  requestedAt: '2030-01-01T00:00:00.000Z',
};
const commandOf = (account: DataOf<typeof CreateCollection>['account']) =>
  outgoing(CreateCollection, { ...data, account }, { id: randomUUID(), time: data.requestedAt });
const command = commandOf(data.account);

function bounded(lags: Partial<Record<TopicName, number>>) {
  const published: OutgoingMessage[] = [];
  const metrics = new Registry();
  const publisher = boundByLag(
    { publish: async (messages) => void published.push(...messages) },
    { lag: { of: (topic) => lags[topic] }, maxLag: 10, metrics },
  );
  return { publisher, published, metrics };
}

describe('commands are bounded by how many wait', () => {
  it('below the bound they are published', async () => {
    const { publisher, published } = bounded({ 'commands.collections': 9, 'commands.stamps': 1_000 });
    await publisher.publish([command]);
    expect(published).toEqual([command]);
  });

  it('from the bound on one account’s flood is refused, and another account is not, up to its even share (I12)', async () => {
    const [flood, ada, bob] = [
      commandOf(`0x${'a'.repeat(40)}`),
      commandOf(`0x${'b'.repeat(40)}`),
      commandOf(`0x${'c'.repeat(40)}`),
    ];
    const lags: Partial<Record<TopicName, number>> = {};
    const { publisher, published } = bounded(lags);
    for (let i = 0; i < 10; i++) await publisher.publish([flood]);
    lags['commands.collections'] = 10;
    const outcomes = async (...commands: OutgoingMessage[]) => {
      const ends: string[] = [];
      for (const one of commands)
        ends.push(
          await publisher.publish([one]).then(
            () => 'published',
            (error: Error) => error.name,
          ),
        );
      return ends;
    };
    const [yes, no] = ['published', 'PublisherBusyError'];
    expect(await outcomes(flood, ada, flood, bob, flood)).toEqual([no, yes, no, yes, no]);
    lags['commands.collections'] = 12;
    expect(await outcomes(ada, ada, ada, ada, ada)).toEqual([yes, yes, yes, no, no]);
    expect(await outcomes(bob, flood)).toEqual([yes, no]);
    expect(published).toHaveLength(16);
    lags['commands.collections'] = 9;
    expect(await outcomes(flood)).toEqual([yes]);
  });

  it('from twice the bound on they are refused, retryable and with nothing sent, and counted', async () => {
    const { publisher, published, metrics } = bounded({ 'commands.collections': 20 });
    const refused = await publisher.publish([command]).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PublisherBusyError);
    expect(refused).toMatchObject({ retryable: true });
    expect(published).toEqual([]);
    const text = await metrics.metrics();
    expect(text).toContain('indelible_gateway_refused_commands_total{topic="commands.collections"} 1');
    expect(text).toContain('indelible_gateway_command_lag_records{topic="commands.collections"} 20');
  });

  it('are published while the lag is unknown: unreachable brokers refuse by themselves', async () => {
    const { publisher, published } = bounded({});
    await publisher.publish([command]);
    expect(published).toHaveLength(1);
  });
});
