export { bumpFees, estimateFees, type FeeLimits, type Fees } from './fees.ts';
export { type FollowHeadSettings, followHead, type HeadFollower } from './head/follow-head.ts';
export {
  type CallFields,
  estimateGas,
  ethCall,
  getBalance,
  getCode,
  getTransactionCount,
  sendRawTransaction,
} from './reads/accounts.ts';
export { type BlockHeader, getBlockByHash, getBlockByNumber, type Head, readBlock } from './reads/blocks.ts';
export { bloomMayContain } from './reads/bloom.ts';
export { type BlockTag, quantityOf } from './reads/fields.ts';
export { getLogsByBlockHash, type Log, readLogs } from './reads/logs.ts';
export {
  getBlockReceipts,
  getTransaction,
  getTransactionReceipt,
  type KnownTransaction,
  type TransactionReceipt,
} from './reads/transactions.ts';
export {
  createRpc,
  type Rpc,
  type RpcCall,
  type RpcCallOptions,
  type RpcLogger,
  type RpcOutcome,
  type RpcSettings,
} from './rpc/client.ts';
export { isRpcError, RpcAnswerError, RpcUnavailableError } from './rpc/errors.ts';
export { type BroadcastFault, classifyBroadcastError } from './transactions/broadcast-errors.ts';
export {
  addressOfPrivateKey,
  type Eip1559Transaction,
  type LegacyTransaction,
  type SignedTransaction,
  signLegacyTransaction,
  signTransaction,
  signTransactionWithFees,
  type TransactionFields,
} from './transactions/sign.ts';
