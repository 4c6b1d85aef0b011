export { armFailpoints, failpoint } from './failpoint.ts';
export { type FailpointName, failpointNames } from './failpoint-names.ts';
export { type FailpointAction, type FailpointPlan, parseFailpoints } from './parse-failpoints.ts';
