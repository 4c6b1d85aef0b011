import { describe, expect, it } from '@jest/globals';
import { createNewestCommands } from './newest-commands.ts';

const given = (max: number, ...counts: readonly (readonly [account: string, commands: number])[]) => {
  const newest = createNewestCommands(max);
  const add = (account: string, commands: number): void => {
    for (let i = 0; i < commands; i++) newest.add(account);
  };
  for (const [account, commands] of counts) add(account, commands);
  return { add, little: (...accounts: string[]) => accounts.map((account) => newest.hasLittle(account)) };
};

describe('what accounts have of the newest commands (I12)', () => {
  it('is much for the one that floods the topic, and little for others', () => {
    expect(given(100, ['flood', 95], ['ada', 5]).little('flood', 'ada', 'bob')).toEqual([false, true, true]);
  });
  it('is much for one alone, from half of what is compared on', () => {
    const { add, little } = given(100, ['ada', 4]);
    expect(little('ada', 'bob')).toEqual([true, true]);
    add('ada', 1);
    expect(little('ada', 'bob')).toEqual([false, true]);
  });
  it('is even among several that publish alike: none of them has little, a new one has', () => {
    const names = ['a', 'b', 'c'];
    const { little } = given(300, ...Array.from({ length: 300 }, (_, i) => [names[i % 3] as string, 1] as const));
    expect(little(...names, 'new')).toEqual([false, false, false, true]);
  });
  it('becomes less as newer ones come: the oldest are forgotten first, whosever they are', () => {
    const { add, little } = given(10, ['flood', 10]);
    add('ada', 4);
    expect(little('flood', 'ada')).toEqual([false, true]);
    add('ada', 2);
    expect(little('flood', 'ada')).toEqual([true, false]);
    add('bob', 10);
    expect(little('flood', 'ada', 'bob')).toEqual([true, true, false]);
  });
});
