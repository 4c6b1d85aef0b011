export { loadChain } from './chain-file.ts';
export { replayJournal } from './chain-journal.ts';
export { type ChainKeeper, keepChain } from './chain-keeper.ts';
export { callRpc } from './json-rpc.ts';
