import { readFileSync } from 'node:fs';

/** What a process has open beside its connections, generously. */
const others = 256;

/** @throws Error when a process may not have so many connections; elsewhere than on Linux nothing is known */
export function requireOpenFiles(connections: number, limitOf = openFilesLimit): void {
  const limit = limitOf();
  if (limit < connections + others)
    throw new Error(
      `${connections} connections need ${connections + others} open files, and a process may have ${limit} here:` +
        ' raise the limit (ulimit -n) before the run',
    );
}

function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
