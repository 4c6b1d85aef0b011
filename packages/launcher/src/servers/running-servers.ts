import type { PartName, UnexpectedExit } from './parts.ts';
import type { Server } from './supervisor.ts';

/** The registry uses Postgres, so it stops first; the rest in between. */
const STOP_ORDER: readonly (readonly PartName[])[] = [['registry'], ['kafka', 'anvil', 'redis'], ['postgres']];

/** The servers of one start, and the cleanup when they stop. */
export class RunningServers {
  readonly #servers = new Map<PartName, Server>();
  readonly #listeners: ((exit: UnexpectedExit) => void)[] = [];
  readonly #unexpected: UnexpectedExit[] = [];
  readonly #cleanups: (() => Promise<void>)[] = [];
  #stopped: Promise<void> | undefined;

  /** Name and process id of each server. */
  get processes(): readonly { readonly name: string; readonly pid: number }[] {
    return [...this.#servers.values()].map(({ name, pid }) => ({ name, pid }));
  }

  /** Takes charge of a server that has just been started. */
  add(part: PartName, server: Server): void {
    this.#servers.set(part, server);
    void server.exited.then(async ({ code, signal }) => {
      if (this.#stopped) return;
      const exit: UnexpectedExit = { part, code, signal, lastLines: await server.lastLines() };
      this.#unexpected.push(exit);
      for (const listener of this.#listeners) listener(exit);
    });
  }

  /** `cleanup` runs when all servers have stopped; the last one given runs first. */
  addCleanup(cleanup: () => Promise<void>): void {
    this.#cleanups.unshift(cleanup);
  }

  /** Calls the listener for each server that ends, or has ended, although nobody stopped it. */
  onUnexpectedExit(listener: (exit: UnexpectedExit) => void): void {
    this.#listeners.push(listener);
    for (const exit of this.#unexpected) listener(exit);
  }

  /** Stops the servers in order, then runs every cleanup, even if one fails; rejects then with the first error. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopAll();
    return this.#stopped;
  }

  async #stopAll(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (work: () => Promise<void>) => work().catch((error: unknown) => void failures.push(error));
    for (const group of STOP_ORDER) {
      await Promise.all(group.map((part) => attempt(async () => this.#servers.get(part)?.stop())));
    }
    for (const cleanup of this.#cleanups) await attempt(cleanup);
    if (failures.length > 0) throw failures[0];
  }
}
