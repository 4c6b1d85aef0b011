export { batchGasCap, type ChainProfile, type ConfirmationDepth, profileOf } from './chain-profiles.ts';
export {
  type ChainReader,
  createChainReader,
  type ReadHeader,
} from './chain-reader/chain-reader.ts';
export { chainOn, isChildOf } from './chain-reader/chained.ts';
export type { PlacedLog } from './chain-reader/collect-logs.ts';
export {
  type BumpPolicy,
  bumpFees,
  estimateFees,
  type FeeLimits,
  type Fees,
  likelyPriceOf,
  lowerFees,
  priceOf,
} from './fees.ts';
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
export { type BlockTag, quantityOf } from './reads/fields.ts';
export { getLogsByBlockHash, type Log, readLogs } from './reads/logs.ts';
export { type BlockPlace, getNonceAtHead, holdsBlocks } from './reads/places.ts';
export {
  getBlockReceipts,
  getTransaction,
  getTransactionReceipt,
  type KnownTransaction,
  readReceipt,
  type TransactionReceipt,
} from './reads/transactions.ts';
export { createRpc } from './rpc/client.ts';
export { isRpcError, meaningOf, RpcAnswerError, type RpcFault, RpcUnavailableError } from './rpc/errors.ts';
export { meaningOfAnswer, type NodeAnswer, type RpcMeaning, type RpcMeaningKind } from './rpc/node-answers.ts';
export type {
  Rpc,
  RpcCall,
  RpcCallOptions,
  RpcClient,
  RpcEndpointStatus,
  RpcEvent,
  RpcLogger,
  RpcOutcome,
  RpcSettings,
} from './rpc/port.ts';
export { type BroadcastOutcome, broadcastTransaction } from './transactions/broadcast.ts';
export { fieldsOfSigned } from './transactions/fields-of-signed.ts';
export {
  SendError,
  type Sending,
  type SendingKey,
  sendAndWait,
  sendUnless,
  waitForPending,
  waitForReceipt,
} from './transactions/send-and-wait.ts';
export {
  addressOfPrivateKey,
  type Eip1559Transaction,
  type LegacyTransaction,
  type SignDigest,
  type SignedTransaction,
  signLegacyTransaction,
  signTransaction,
  signTransactionBy,
  signTransactionWithFees,
  type TransactionFields,
} from './transactions/sign.ts';
