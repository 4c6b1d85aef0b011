export {
  addBatchSizes,
  type BatchLimits,
  type BatchSize,
  emptyBatchSize,
  estimateBatchSize,
  fitsLimits,
  runSize,
  transactionLimits,
} from './batch-size.ts';
export {
  encodeAddLane,
  encodeAddUserSet,
  encodeGrant,
  encodeGrantBySignature,
  encodeRemoveLane,
  encodeRevoke,
  encodeRevokeBySignature,
  type SignedDelegation,
} from './codec/calls.ts';
export { encodeCommitBatch, type Run } from './codec/commit-batch.ts';
export { type ContractEffect, effectOfLog } from './codec/effect-of-log.ts';
export { type ContractEvent, type ContractLog, decodeContractLog, readContractLog } from './codec/logs.ts';
export {
  decodeDelegatedAuthority,
  decodeLaneOperator,
  decodeNonces,
  decodeSetHead,
  decodeUserSetCommitments,
  encodeDelegatedAuthority,
  encodeLaneOperator,
  encodeNonces,
  encodeSetHead,
  encodeUserSetCommitments,
} from './codec/views.ts';
export { deployedCode } from './deployed-code.ts';
export { type ContractErrorName, decodeContractError, MalformedAnswerError } from './errors.ts';
export {
  commitmentServiceAbi,
  commitmentServiceBytecode,
  compiler,
  errorSelectors,
  eventTopics,
  functionSelectors,
} from './generated/commitment-service.ts';
export { firstSetHead, nextSetHead } from './set-head.ts';
export { type ContractDomain, grantTypedData, laneTypedData, revokeTypedData } from './typed-data.ts';
