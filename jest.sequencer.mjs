import Sequencer from '@jest/test-sequencer';

/** Folders whose tests start every service, with a chain and topics of their own. */
const systems = /\/tests\/(contract|doctor|e2e|examples|rebuild|traces)\//;

/**
 * Whole systems take a minute each and keep the machine busy: they begin evenly over the first two thirds of a run, so that few are
 * at work side by side, and none is still at work when all others are done.
 */
export default class extends Sequencer {
  sort(tests) {
    const all = super.sort(tests);
    const whole = all.filter(({ path }) => systems.test(path));
    const others = all.filter(({ path }) => !systems.test(path));
    const between = Math.floor((2 * others.length) / (3 * Math.max(whole.length, 1)));
    return [
      ...whole.flatMap((test, at) => [test, ...others.slice(at * between, (at + 1) * between)]),
      ...others.slice(whole.length * between),
    ];
  }
}
