export { eventually } from './eventually.ts';
export { type TestAnvil, type TestAnvilOptions, testAnvil } from './test-anvil.ts';
export { type DatabaseTemplate, type TestDatabase, testDatabase } from './test-database.ts';
export { type TestKafka, testKafka } from './test-kafka.ts';
export { type TestRedis, testRedis } from './test-redis.ts';
