import { Gauge, type Registry } from 'prom-client';

/** A pool of connections: how many it has, how many of them are idle, and how many callers wait for one. */
export type Pool = {
  readonly name: string;
  poolSize(): { readonly total: number; readonly idle: number; readonly waiting: number };
};

/** Shows the pools of a service's databases. */
export function showPools(metrics: Registry, pools: readonly Pool[]): void {
  new Gauge({
    name: 'indelible_postgres_pool_connections',
    help: 'Connections of a pool by state: in use, idle; waiting counts callers without one',
    labelNames: ['pool', 'state'],
    registers: [metrics],
    collect() {
      for (const { name: pool, poolSize } of pools) {
        const { total, idle, waiting } = poolSize();
        this.set({ pool, state: 'in use' }, total - idle);
        this.set({ pool, state: 'idle' }, idle);
        this.set({ pool, state: 'waiting' }, waiting);
      }
    },
  });
}
