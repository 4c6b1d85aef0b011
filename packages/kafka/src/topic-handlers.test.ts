import { AccountOpened, BlockAppended, BlocksReverted } from '@indelible/messages';
import { describe, expect, it } from '@jest/globals';
import type { BatchContext } from './batch-runner.ts';
import { byTopic } from './topic-handlers.ts';

const contextOf = (topic: BatchContext['topic']): BatchContext => ({
  topic,
  partition: 0,
  signal: new AbortController().signal,
  alone: false,
  heartbeat: async () => {},
});

describe('handlers by topic', () => {
  it('are one handler of all their messages, which hands each batch to that of its topic', async () => {
    const handled: string[] = [];
    const { contracts, handle } = byTopic({
      'events.accounts': { contracts: [AccountOpened], handle: async () => void handled.push('accounts') },
      'events.chain': { contracts: [BlockAppended, BlocksReverted], handle: async () => void handled.push('chain') },
    });
    expect(contracts).toEqual([AccountOpened, BlockAppended, BlocksReverted]);
    await handle([], contextOf('events.chain'));
    await handle([], contextOf('events.accounts'));
    expect(handled).toEqual(['chain', 'accounts']);
    await expect(handle([], contextOf('events.files'))).rejects.toThrow('nothing handles events.files');
  });

  it('have no message of another topic', () => {
    expect(() => byTopic({ 'events.accounts': { contracts: [BlockAppended], handle: async () => {} } })).toThrow(
      'BlockAppended is a message of events.chain, not events.accounts',
    );
  });
});
