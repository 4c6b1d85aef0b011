import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createFreeSpace } from './free-space.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('the floor of free space', () => {
  it('lets content in down to the floor, and again when there is room', async () => {
    let bytes = 100;
    let looks = 0;
    const space = createFreeSpace(100, async () => {
      looks += 1;
      return bytes;
    });
    await space.require('/');
    bytes = 99;
    // However many write, the disk is checked twice a second.
    await Promise.all(Array.from({ length: 50 }, () => space.require('/')));
    expect(looks).toBe(1);
    await jest.advanceTimersByTimeAsync(500);
    await expect(space.require('/')).rejects.toMatchObject({ name: 'BlobStoreUnavailableError', retryable: true });
    expect(await space.has('/')).toBe(false);
    bytes = 100;
    await jest.advanceTimersByTimeAsync(500);
    await space.require('/');
  });
});
