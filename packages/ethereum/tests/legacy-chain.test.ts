import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Transaction } from 'ethers';
import {
  addressOfPrivateKey,
  broadcastTransaction,
  bumpFees,
  createRpc,
  estimateFees,
  type Fees,
  getBlockByNumber,
  getTransactionReceipt,
  type RpcClient,
  signTransactionWithFees,
} from '../src/index.ts';
import { type Anvil, startAnvil } from './anvil.ts';

const privateKey = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex');
const sender = addressOfPrivateKey(privateKey);
let anvil: Anvil;
let rpc: RpcClient;
beforeAll(async () => {
  anvil = await startAnvil(['--hardfork', 'berlin', '--no-mining']);
  rpc = createRpc({ urls: [anvil.url], timeoutMs: 5_000, chainId: 31337 });
});
afterAll(async () => {
  rpc.close();
  await anvil.stop();
});

describe('a chain without EIP-1559', () => {
  it('takes transactions of type 0 with its id, and their replacement at a higher price', async () => {
    expect(await getBlockByNumber(rpc, 'latest')).toMatchObject({ baseFeePerGas: null });
    const market = await estimateFees(rpc);
    expect(market).toMatchObject({ kind: 'legacy' });
    const sign = (fees: Fees) =>
      signTransactionWithFees({ chainId: 31337, nonce: 0, to: sender, data: '0x', gasLimit: 21_000 }, fees, privateKey);
    const first = sign(market);
    expect(Transaction.from(first.rawTransaction)).toMatchObject({ type: 0, chainId: 31337n });
    expect(await broadcastTransaction(rpc, first)).toEqual({ kind: 'accepted' });
    expect(await broadcastTransaction(rpc, first)).toMatchObject({ kind: 'accepted-already' });

    const replacement = sign(bumpFees(market, market) as Fees);
    expect(await broadcastTransaction(rpc, replacement)).toEqual({ kind: 'accepted' });
    await rpc.call('anvil_mine', ['0x1']);
    expect(await getTransactionReceipt(rpc, replacement.hash)).toMatchObject({ status: 'success' });
    expect(await getTransactionReceipt(rpc, first.hash)).toBeNull();
    expect(await broadcastTransaction(rpc, first)).toMatchObject({ kind: 'nonce-used' });
  });
});
