import type { LoggedEvent } from '@indelible/public-events';
import { describe, expect, it } from '@jest/globals';
import { createTrack, type TrackedEvent } from './delivery-track.ts';

const at = (position: number, set = 'a'): TrackedEvent => ({ position, set, event: {} as LoggedEvent });
const all = () => true;

describe('the track of a webhook', () => {
  it('sends in the order of the log, and is settled up to the first event that is open', () => {
    const track = createTrack(10);
    track.append([at(12), at(13), at(17)], 20);
    expect([track.next(all)?.position, track.next(all)?.position]).toEqual([12, 13]);
    track.settle(13);
    expect([track.settledTo(), track.sending()]).toEqual([11, 1]);
    track.settle(12);
    expect(track.settledTo()).toBe(16);
    track.next(all);
    track.settle(17);
    expect([track.settledTo(), track.length(), track.readTo()]).toEqual([20, 0, 20]);
  });

  it('passes over what is not wanted: an empty page moves it too', () => {
    const track = createTrack(10);
    track.append([], 300);
    expect(track.settledTo()).toBe(300);
  });

  it('leaves out what may not go, such as the next event of a collection of which one is on its way', () => {
    const track = createTrack(0);
    track.append([at(1, 'a'), at(2, 'a'), at(3, 'b')], 3);
    const busy = new Set<string>();
    const next = () => {
      const entry = track.next(({ set }) => !busy.has(set));
      if (entry !== undefined) busy.add(entry.set);
      return entry?.position;
    };
    expect([next(), next(), next()]).toEqual([1, 3, undefined]);
    track.settle(1);
    busy.delete('a');
    expect(next()).toBe(2);
  });

  it('gives away what waits, and then does not wait for it', () => {
    const track = createTrack(0);
    track.append([at(1, 'a'), at(2, 'a'), at(3, 'b')], 3);
    track.next(all);
    expect(track.take(({ set }) => set === 'a').map(({ position }) => position)).toEqual([2]);
    track.settle(1);
    expect(track.settledTo()).toBe(2);
  });

  it('settles nothing that is not on its way', () => {
    const track = createTrack(0);
    track.append([at(1)], 1);
    track.settle(1);
    expect([track.settledTo(), track.sending()]).toEqual([0, 0]);
  });
});
