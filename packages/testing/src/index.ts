export { chartFolder, chartVariants } from './chart/variants.ts';
export { DiedHere, dyingAfter } from './dying-migration.ts';
export { type EndingServer, endingServer } from './ending-server.ts';
export { type TestKubernetes, testJaeger, testKubernetes, testPrometheus, testPython } from './environment.ts';
export { eventually } from './eventually.ts';
export { fixedPort } from './fixed-port.ts';
export { internalUrlOf } from './internal-url.ts';
export { limitRecords } from './limit-records.ts';
export { lookInto } from './look-into.ts';
export { type CollectedSpan, type OtlpCollector, otlpCollector } from './otlp-collector.ts';
export { type RecordedEvent, recordedEvents, streamsWithGaps } from './recorded-events.ts';
export { type HeldCalls, type RpcFaultProxy, rpcFaultProxy, withoutLogs } from './rpc-fault-proxy.ts';
export type { ProxiedCall, ProxyFault } from './rpc-fault-proxy-faults.ts';
export { type SilenceProxy, silenceProxy } from './silence-proxy.ts';
export { readsOfWholeTables, recordStatements } from './statement-plans.ts';
export { type TestAnvil, type TestAnvilOptions, testAnvil } from './test-anvil.ts';
export {
  type DatabaseTemplate,
  dropTemplate,
  migratedTemplate,
  type TestDatabase,
  testDatabase,
  testPool,
  testSession,
} from './test-database.ts';
export { TEST_GCS_TIMEOUT_MS, type TestGcs, testGcs, testGcsEmulator } from './test-gcs.ts';
export { type TestKafka, testKafka } from './test-kafka.ts';
export { type KmsMood, type TestKms, testKms } from './test-kms.ts';
export { flushRedis, runRedisCommand, type TestRedis, testRedis } from './test-redis.ts';
