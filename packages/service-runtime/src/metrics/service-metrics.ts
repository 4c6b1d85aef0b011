import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** All packages of the workspace have one version. */
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  readonly version: string;
};

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
