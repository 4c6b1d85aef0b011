export { addLane, type ConsentingLane, operatorOfLane } from './add-lane.ts';
export { DeploymentError } from './deployment-error.ts';
export { deterministicAddress } from './deterministic-address.ts';
export { type DeployedContract, ensureContract } from './ensure-contract.ts';
export { type ContractReport, examineContract } from './examine-contract.ts';
export {
  type LaneGrantRequest,
  readLaneGrants,
  requestLaneGrants,
  type SignedLaneGrants,
  signLaneGrants,
} from './lane-grants.ts';
export { setLocalBalance } from './local-balance.ts';
export { sendLaneGrants } from './send-lane-grants.ts';
