/** A part with a life: created without effects, started, stopped. Stopping drains what is under way. */
export type Component = {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether it can do its work now; left out by parts that always can. */
  ready?(): boolean | Promise<boolean>;
};

/** Starts components in order; when one fails, those already started are stopped again in reverse order. */
export async function startAll(components: readonly Component[]): Promise<void> {
  const started: Component[] = [];
  for (const component of components) {
    try {
      await component.start();
      started.push(component);
    } catch (error) {
      await stopAll(started);
      throw new Error(`${component.name} did not start`, { cause: error });
    }
  }
}

/** Stops components in reverse order of the given; one that fails does not keep the others from stopping. */
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
