import type { Machine } from '../measuring/machine.ts';

export const environmentLine = (machine: Machine): string =>
  [
    `commit ${machine.commit}${machine.changed ? ' with changes' : ''}`,
    `Node ${machine.node}`,
    `${machine.cores} × ${machine.cpu}`,
    `SHA3-256 ${machine.sha3MegabytesPerSecond.toFixed(0)} MB/s`,
    machine.at,
  ].join(' · ');
