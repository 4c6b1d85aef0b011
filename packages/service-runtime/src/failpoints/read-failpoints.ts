import { ConfigurationError, type Environment } from '../config.ts';
import { type FailpointPlan, parseFailpoints } from './parse-failpoints.ts';

/**
 * `FAILPOINTS`: where the process is to die, for tests. Never in production: images run with NODE_ENV=production
 * (deploy/Dockerfile), where it is a fault.
 * @throws ConfigurationError
 */
export function readFailpoints(environment: Environment): FailpointPlan {
  const text = environment.FAILPOINTS;
  if (text === undefined || text === '') return new Map();
  if (environment.NODE_ENV === 'production')
    throw new ConfigurationError(['FAILPOINTS must not be set where NODE_ENV is production']);
  const parsed = parseFailpoints(text);
  if ('faults' in parsed) throw new ConfigurationError(parsed.faults.map((fault) => `FAILPOINTS: ${fault}`));
  return parsed.plan;
}
