export {
  environmentOf,
  openTelemetryOf,
  type ServiceName,
  type ServiceSettings,
  serviceNames,
  wantedPorts,
} from './service-table.ts';
export { type Connection, type Stack, type StackOptions, startStack } from './stack.ts';
export type { SupervisedService } from './supervised-service.ts';
