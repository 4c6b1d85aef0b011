import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '../version.ts';

/** The registry of a service, with what every process reports: CPU, memory, event loop, garbage collection, file descriptors, and its build. */
export function createServiceMetrics(service: string): Registry {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  new Gauge({
    name: 'indelible_build_info',
    help: 'Always 1; the labels name the service, its version and that of Node',
    labelNames: ['service', 'version', 'node'],
    registers: [metrics],
  }).set({ service, version, node: process.version }, 1);
  return metrics;
}
