export { loadChain } from './local-chain/chain-file.ts';
export { replayJournal } from './local-chain/chain-journal.ts';
export { type ChainKeeper, keepChain } from './local-chain/chain-keeper.ts';
export { callRpc } from './local-chain/json-rpc.ts';
