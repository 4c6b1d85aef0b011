import type { Logger } from '../logging/logger.ts';
import type { TracingConfig } from './config.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Loads the code of OpenTelemetry only where something is to be traced. */
export async function createTracing(config: TracingConfig | undefined, logger: Logger): Promise<Tracing> {
  if (config === undefined) return noTracing;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing(config, logger);
}
