import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { readFailpoints } from './read-failpoints.ts';

describe('failpoints', () => {
  it('are none unless the environment names some', () => {
    expect(readFailpoints({}).size).toBe(0);
    expect([...readFailpoints({ FAILPOINTS: 'stamping.decided=kill' }).keys()]).toEqual(['stamping.decided']);
  });

  it('are a fault of the configuration when they cannot be read', () => {
    expect(() => readFailpoints({ FAILPOINTS: 'stamping.decided' })).toThrow('FAILPOINTS: "stamping.decided" is not');
  });

  it('are a fault in production, which is what the images run as', async () => {
    const production = { FAILPOINTS: 'stamping.decided=kill', NODE_ENV: 'production' };
    expect(() => readFailpoints(production)).toThrow('FAILPOINTS must not be set where NODE_ENV is production');
    const image = await readFile(new URL('../../../../deploy/Dockerfile', import.meta.url), 'utf8');
    const last = image.slice(image.lastIndexOf('\nFROM '));
    expect(last).toMatch(/\nENV NODE_ENV=production\s/);
    expect(last.match(/NODE_ENV/g)).toHaveLength(1);
  });
});
