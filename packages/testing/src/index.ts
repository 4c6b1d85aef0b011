export { eventually } from './eventually.ts';
export { type HeldCalls, type RpcFaultProxy, rpcFaultProxy, withoutLogs } from './rpc-fault-proxy.ts';
export type { ProxiedCall, ProxyFault } from './rpc-fault-proxy-faults.ts';
export { readsOfWholeTables, recordStatements } from './statement-plans.ts';
export { type TestAnvil, type TestAnvilOptions, testAnvil } from './test-anvil.ts';
export { type DatabaseTemplate, type TestDatabase, testDatabase } from './test-database.ts';
export { TEST_GCS_TIMEOUT_MS, type TestGcs, testGcs, testGcsEmulator } from './test-gcs.ts';
export { type TestKafka, testKafka } from './test-kafka.ts';
export { type TestRedis, testRedis } from './test-redis.ts';
