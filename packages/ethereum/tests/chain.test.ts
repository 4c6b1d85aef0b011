import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { bloomTest } from '../src/chain-reader/bloom.ts';
import {
  addressOfPrivateKey,
  createRpc,
  estimateFees,
  estimateGas,
  ethCall,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getCode,
  getLogsByBlockHash,
  getTransaction,
  getTransactionCount,
  getTransactionReceipt,
  meaningOf,
  type Rpc,
  sendRawTransaction,
  signTransactionWithFees,
  type TransactionFields,
} from '../src/index.ts';
import { type Anvil, startAnvil } from './anvil.ts';

const privateKey = Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex');
const sender = addressOfPrivateKey(privateKey);
/** The code of a contract that logs its calldata under the topic 7 … 7, and reverts when called without any. */
const runtime = `36156031573660006000377f${'77'.repeat(32)}366000a1005b60006000fd`;

let anvil: Anvil;
let rpc: Rpc;
beforeAll(async () => {
  anvil = await startAnvil(['--no-mining', '--base-fee', '1000']);
  rpc = createRpc({ urls: [anvil.url], timeoutMs: 5_000 });
});
afterAll(async () => {
  rpc.close();
  await anvil.stop();
});

const send = async (fields: Partial<TransactionFields>) => {
  const fees = await estimateFees(rpc);
  const nonce = fields.nonce ?? (await getTransactionCount(rpc, sender, 'pending'));
  const tx = { chainId: await rpc.chainId(), nonce, to: null, data: '0x' as const, gasLimit: 1_000_000, ...fields };
  const signed = signTransactionWithFees(tx, fees, privateKey);
  expect(await sendRawTransaction(rpc, signed.rawTransaction)).toBe(signed.hash);
  return signed;
};
const mine = () => rpc.call('anvil_mine', ['0x1']);

describe('reading the chain', () => {
  it('follows a transaction from the pool to its receipt and logs', async () => {
    // PUSH1 len PUSH1 12 PUSH1 0 CODECOPY PUSH1 len PUSH1 0 RETURN
    const length = (runtime.length / 2).toString(16).padStart(2, '0');
    const creation = await send({ data: `0x60${length}600c60003960${length}6000f3${runtime}` });
    expect(await getTransaction(rpc, creation.hash)).toEqual({
      hash: creation.hash,
      nonce: 0,
      from: sender,
      blockHash: null,
      blockNumber: null,
    });
    expect(await getTransactionReceipt(rpc, creation.hash)).toBeNull();
    await mine();
    const receipt = await getTransactionReceipt(rpc, creation.hash);
    expect(receipt).toMatchObject({ status: 'success', blockNumber: 1, from: sender, to: null, logs: [] });
    const contract = receipt?.contractAddress as `0x${string}`;
    expect(await getCode(rpc, contract)).toBe(`0x${runtime}`);
    expect(await getCode(rpc, sender)).toBe('0x');

    const calls = [await send({ to: contract, data: '0x01' }), await send({ to: contract, data: '0x02ff' })];
    await mine();
    const block = await getBlockByNumber(rpc, 2);
    expect(block).toEqual(await getBlockByHash(rpc, block?.hash as `0x${string}`));
    expect(block).toMatchObject({ number: 2, parentHash: receipt?.blockHash, transactions: calls.map((c) => c.hash) });
    const logs = await getLogsByBlockHash(rpc, block?.hash as `0x${string}`, contract);
    expect(logs).toMatchObject([
      {
        address: contract,
        topics: [`0x${'77'.repeat(32)}`],
        data: '0x01',
        logIndex: 0,
        transactionHash: calls[0]?.hash,
      },
      { address: contract, data: '0x02ff', logIndex: 1, transactionIndex: 1, blockHash: block?.hash, blockNumber: 2 },
    ]);
    const receipts = await getBlockReceipts(rpc, block?.hash as `0x${string}`);
    expect(receipts?.flatMap((each) => each.logs)).toEqual(logs);

    const bloom = block?.logsBloom as `0x${string}`;
    expect(bloomTest(contract)(bloom)).toBe(true);
    expect(bloomTest(`0x${'77'.repeat(32)}`)(bloom)).toBe(true);
    expect(bloomTest(sender)(bloom)).toBe(false);
    expect(bloomTest(`0x${'78'.repeat(32)}`)(bloom)).toBe(false);
  });
  it('answers null for what is not there', async () => {
    expect(await getBlockByNumber(rpc, 10_000)).toBeNull();
    expect(await getBlockByHash(rpc, `0x${'11'.repeat(32)}`)).toBeNull();
    expect(await getTransaction(rpc, `0x${'11'.repeat(32)}`)).toBeNull();
    expect(await getBlockReceipts(rpc, `0x${'11'.repeat(32)}`)).toBeNull();
  });
  it('does not take the logs of a block the node does not know for none', async () => {
    await expect(getLogsByBlockHash(rpc, `0x${'11'.repeat(32)}`, sender)).rejects.toMatchObject({ retryable: true });
  });
  it('agrees with ethers about balances and nonces', async () => {
    const provider = new JsonRpcProvider(anvil.url);
    expect(await getBalance(rpc, sender)).toBe(await provider.getBalance(sender));
    expect(await getTransactionCount(rpc, sender)).toBe(await provider.getTransactionCount(sender));
    expect(await getBlockByNumber(rpc, 'latest')).toMatchObject({ hash: (await provider.getBlock('latest'))?.hash });
    provider.destroy();
  });
  it('distinguishes a call that reverts from one that answers', async () => {
    const receipt = await getTransactionReceipt(
      rpc,
      (await getBlockByNumber(rpc, 1))?.transactions[0] as `0x${string}`,
    );
    const to = receipt?.contractAddress as `0x${string}`;
    expect(await ethCall(rpc, { to, data: '0x01' })).toBe('0x');
    expect(await estimateGas(rpc, { to, data: '0x01', from: sender })).toBeGreaterThan(21_000n);
    await expect(estimateGas(rpc, { to, data: '0x' })).rejects.toMatchObject({
      name: 'RpcAnswerError',
      retryable: false,
    });
  });
});

describe('broadcasting', () => {
  it("understands the node's refusals", async () => {
    const nonce = await getTransactionCount(rpc, sender);
    const fees = { kind: 'eip1559', maxFeePerGas: 10_000n, maxPriorityFeePerGas: 10n } as const;
    const tx = { chainId: 31337, nonce, to: sender, data: '0x', gasLimit: 21_000 } as const;
    const refusal = (signed: { rawTransaction: `0x${string}` }): Promise<unknown> =>
      sendRawTransaction(rpc, signed.rawTransaction).then(
        () => 'taken',
        (error: unknown) => meaningOf(error).kind,
      );
    const first = signTransactionWithFees(tx, fees, privateKey);
    expect(await refusal(first)).toBe('taken');
    expect(await refusal(first)).toBe('accepted-already');
    expect(await refusal(signTransactionWithFees({ ...tx, value: 1n }, fees, privateKey))).toBe(
      'underpriced-replacement',
    );
    expect(await refusal(signTransactionWithFees(tx, fees, Buffer.alloc(32, 9)))).toBe('funds-missing');
    const cheap = { ...fees, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    expect(await refusal(signTransactionWithFees({ ...tx, nonce: nonce + 1 }, cheap, privateKey))).toBe('fee-too-low');
    await mine();
    expect(await refusal(first)).toBe('nonce-used');
  });
});
