import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, readEnvironment } from './config.ts';

describe('a configuration', () => {
  it('reports every fault at once', () => {
    const read = readEnvironment({ PORT: 'x', URL: 'ftp://a' });
    read.integer('PORT', { min: 0, max: 65535 });
    read.url('URL', ['http:']);
    read.text('NAME');
    read.choice('LEVEL', ['a', 'b'], undefined);
    expect(() => read.finish()).toThrow(ConfigurationError);
    expect(() => read.finish()).toThrow(
      /4 faults:\n {2}PORT must be an integer from 0 to 65535\n {2}URL .*\n {2}NAME is required\n {2}LEVEL is required/,
    );
  });
  it('takes an empty variable for one that is not given', () => {
    const read = readEnvironment({ PORT: '' });
    expect(read.integer('PORT', { default: 80, min: 0, max: 65535 })).toBe(80);
    read.finish();
  });
});
