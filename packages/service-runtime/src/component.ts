/** A part with a life: created without effects, started, stopped. Stopping drains work in flight. */
export type Component = {
  readonly name: string;
  start(): Promise<void>;
  /** May be called while `start` runs, which then stops waiting; and before any start. */
  stop(): Promise<void>;
  /**
   * Before any component stops: closes client connections, for at most `ms`. The service is then not ready; late
   * requests still get a response, and their clients move to another replica.
   */
  leave?(ms: number): Promise<void>;
  /** Whether it can do its work now; omitted by parts that always can. */
  ready?(): boolean | Promise<boolean>;
};

/**
 * A part that connects on use and must be closed: a pool, a client. List it before its users, so that it is closed
 * after them.
 * @param ready whether its server responds; omitted if the service can work without it
 */
export const connection = (
  name: string,
  { close, ready }: { readonly close?: () => Promise<void> | void } & Pick<Component, 'ready'>,
): Component => ({
  name,
  async start() {},
  async stop() {
    await close?.();
  },
  ...(ready && { ready }),
});

/**
 * Starts components in order; when one fails, those already started are stopped again in reverse order. When `signal` aborts,
 * the one that is starting is stopped, the others never start, and the call rejects with the signal's reason.
 */
export async function startAll(components: readonly Component[], signal?: AbortSignal): Promise<void> {
  const started: Component[] = [];
  for (const component of components) {
    try {
      signal?.throwIfAborted();
      await startUnlessAborted(component, signal);
      started.push(component);
    } catch (error) {
      await stopAll(started);
      signal?.throwIfAborted();
      throw new Error(`${component.name} did not start`, { cause: error });
    }
  }
}

/** A start may wait for a server for as long as it is unreachable. */
async function startUnlessAborted(component: Component, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return component.start();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const starting = component.start();
  try {
    await Promise.race([starting, aborted.promise]);
  } catch (error) {
    starting.catch(() => {});
    if (signal.aborted) await component.stop();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Stops components in reverse order; one that fails does not prevent the others from stopping. */
export async function stopAll(components: readonly Component[]): Promise<readonly unknown[]> {
  const faults: unknown[] = [];
  for (const component of components.toReversed()) {
    try {
      await component.stop();
    } catch (error) {
      faults.push(new Error(`${component.name} did not stop`, { cause: error }));
    }
  }
  return faults;
}
