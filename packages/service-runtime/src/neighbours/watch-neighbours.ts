import { setTimeout as delay } from 'node:timers/promises';
import type { Component } from '../component.ts';
import type { Logger } from '../logging/logger.ts';
import { createOutageLog } from '../logging/outage-log.ts';
import { checkNeighbour } from './check-neighbour.ts';
import { describeNeighbour, type Neighbour } from './neighbours.ts';

const checkedEveryMs = 15_000;
const retriedFromMs = 500;

/** Logs which server is unreachable, its address and the variable that names it; nothing depends on it. */
export function watchNeighbours(neighbours: readonly Neighbour[], logger: Logger): Component {
  const stopping = new AbortController();
  let watching: Promise<unknown> = Promise.resolve();

  async function watch(neighbour: Neighbour): Promise<void> {
    const outage = createOutageLog({ logger, waitingFor: describeNeighbour(neighbour) });
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        await checkNeighbour(neighbour, stopping.signal);
        failures = 0;
        outage.ended();
      } catch (error) {
        if (stopping.signal.aborted) return;
        // one failure may be momentary; the second is an outage
        failures += 1;
        if (failures > 1) outage.failed(error);
      }
      const pauseMs = failures === 0 ? checkedEveryMs : Math.min(checkedEveryMs, retriedFromMs * 2 ** failures);
      await delay(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  }

  return {
    name: 'watch of neighbours',
    async start() {
      watching = Promise.all(neighbours.map(watch));
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
