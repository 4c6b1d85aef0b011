export { type Backoff, createBackoff, wait } from './backoff.ts';
export { bytesPassed } from './bytes-passed.ts';
export { commandMain } from './command-main.ts';
export { type Component, connection, startAll, stopAll } from './component.ts';
export { ConfigurationError, type Environment, type Fault, readEnvironment } from './config.ts';
export { defineService, type Runtime } from './define-service.ts';
export { isError, isRetryable, PermanentError, UnavailableError } from './errors.ts';
export { armFailpoints, failpoint } from './failpoints/failpoint.ts';
export { type FailpointName, failpointNames } from './failpoints/failpoint-names.ts';
export { type FailpointAction, type FailpointPlan, parseFailpoints } from './failpoints/parse-failpoints.ts';
export { createFairQueue, type FairQueue } from './fair-queue.ts';
export { createFairShare, type FairShare } from './fair-share.ts';
export { type FaultClass, faultClassOf, isTemporary } from './fault-class.ts';
export { answerFault, fail, refuse } from './internal-answers.ts';
export { internalRoutes, ofJson, type RouteHandler, type Routes } from './internal-routes.ts';
export { closeServer, createInternalServer, internalServerOf, leaveServer, listen, portOf } from './internal-server.ts';
export { type InternalAddress, internalAddress } from './internal-token.ts';
export { createKeeper } from './keeper.ts';
export { untilLeft } from './leave-server.ts';
export { type ErrorForLog, errorForLog, reasonOf } from './logging/error-for-log.ts';
export { keepSecret, withoutSecrets } from './logging/known-secrets.ts';
export { createLogger, type Logger, type LogLevel, logLevels } from './logging/logger.ts';
export { createOutageLog, type OutageLog } from './logging/outage-log.ts';
export { lookUp, unknown } from './metrics/look-up.ts';
export { type Pool, showPools } from './metrics/pools.ts';
export { createServiceMetrics } from './metrics/service-metrics.ts';
export { type Stage, stageDurations, stages } from './metrics/stages.ts';
export { type Observe, weightedHistogram, weightedHistograms } from './metrics/weighted-histogram.ts';
export { describeNeighbour, neighboursOf } from './neighbours/neighbours.ts';
export { createRepublishRequests, type RepublishRequests } from './republish-requests.ts';
export { runService } from './run-service.ts';
export { serviceMain } from './service-main.ts';
export { setNewest } from './set-newest.ts';
export {
  brokerSettings,
  chainAddress,
  chainId,
  consumerSettings,
  contractAddress,
  databaseSettings,
  indexerUrl,
  internalClientSettings,
  internalServerSettings,
  logSettings,
  readDatabaseUrl,
  redisSettings,
  routelessServerSettings,
  rpcTimeoutMs,
  rpcUrls,
  sharedSettings,
  startBlock,
} from './settings/common.ts';
export type { KafkaSasl, KafkaSecurity, TlsSettings, TokenSource } from './settings/kafka-security.ts';
export { type Inspection, inspectSettings, readSettings } from './settings/read-settings.ts';
export type { RedisAccess } from './settings/redis-access.ts';
export type { RegistryAccess } from './settings/schema-registry.ts';
export {
  allOf,
  dependingOn,
  madeOf,
  optional,
  type Setting,
  type ValueOf,
  type Variable,
} from './settings/setting.ts';
export { settingsMain } from './settings/settings-main.ts';
export {
  choice,
  flag,
  integer,
  list,
  listMatching,
  mapped,
  matching,
  text,
  textOrPath,
  url,
  webUrl,
} from './settings/variables.ts';
export { settlesWithin, within } from './time-limits.ts';
export { together } from './together.ts';
export { beginSteps, handleInSteps, processing, type Steps, sampledOf, sending } from './tracing/steps.ts';
export { isSampled, isTraceparent, traceForLog, traceIdsForLog, withDecision } from './tracing/traceparent.ts';
export { mostLinks, noTracing, type Span, type Tracing } from './tracing/tracing.ts';
export { createTurns } from './turns.ts';
