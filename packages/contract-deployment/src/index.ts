export { type DeployedContract, DeploymentError, ensureContract } from './ensure-contract.ts';
export { setLocalBalance } from './local-balance.ts';
