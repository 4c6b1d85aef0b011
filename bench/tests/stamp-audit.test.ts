import { encodeCommitBatch } from '@indelible/commitment-contract';
import { createRpc, type RpcClient, sendRawTransaction, signTransaction } from '@indelible/ethereum';
import { bytesOfHex, checksumAddress, type Hex, receiptTime, zeroCid } from '@indelible/identifiers';
import { waitUntil } from '@indelible/launcher/servers';
import { type TestAnvil, testAnvil } from '@indelible/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Stranger } from '../src/load/ethers.ts';
import { auditStamps, claimsOf } from '../src/load/stamp-audit.ts';
import { type Acknowledged, freshCid } from '../src/load/stamp-request.ts';
import { addStranger } from '../src/system/ceiling.ts';

let anvil: TestAnvil;
let rpc: RpcClient;
let stranger: Stranger;
let nonce = 0;
beforeAll(async () => {
  anvil = await testAnvil();
  rpc = createRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  stranger = await addStranger(anvil.rpcUrl);
});
afterAll(async () => {
  rpc?.close();
  await anvil?.stop();
});

/** The hash of the block that holds it; a node takes a transaction before it mines it. */
function blockOf(transaction: Hex): Promise<Hex> {
  const look = async (): Promise<Hex> => {
    const receipt = await anvil.request<{ blockHash: Hex } | null>('eth_getTransactionReceipt', [transaction]);
    if (receipt === null) throw new Error(`${transaction} is in no block`);
    return receipt.blockHash;
  };
  return waitUntil(look, { signal: new AbortController().signal, timeoutMs: 30_000, intervalMs: 20 });
}

/** Commits CIDs in one transaction, and gives what a service would have answered of each. */
async function stamp(cids: readonly string[]): Promise<Acknowledged[]> {
  const { chain, privateKey } = stranger;
  const { chainId, contract, user } = chain;
  const run = { user, count: cids.length, newSet: false, setCid: zeroCid };
  const fees = { maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n };
  const signed = signTransaction(
    {
      chainId,
      nonce: nonce++,
      to: contract,
      data: encodeCommitBatch([run], cids as Hex[]),
      gasLimit: 500_000,
      ...fees,
    },
    bytesOfHex(privateKey),
  );
  await sendRawTransaction(rpc, signed.rawTransaction);
  const { timestamp } = await anvil.request<{ timestamp: Hex }>('eth_getBlockByHash', [
    await blockOf(signed.hash),
    false,
  ]);
  return cids.map((cid) => {
    const receipt = {
      ...{ transaction_hash: signed.hash, user_address: checksumAddress(user), set_cid: zeroCid, object_cid: cid },
      ...{ timestamp: receiptTime(Number(timestamp)), chain_id: chainId },
    };
    return { cid, dueAt: 0, answeredAt: 0, body: JSON.stringify({ commitment_receipt: receipt }) };
  });
}

const audit = (acknowledged: readonly Acknowledged[]) =>
  auditStamps(stranger.chain, 0, claimsOf(acknowledged, stranger.chain));

describe('what was acknowledged is looked up on the chain', () => {
  it('passes when each stamp is there once, as its receipt says', async () => {
    const acknowledged = [...(await stamp([freshCid(), freshCid()])), ...(await stamp([freshCid()]))];
    const { gas, blockOf } = await audit(acknowledged);
    expect(blockOf.size).toBe(2);
    expect(gas.gasPerStamp).toBeGreaterThan(2_000);
    expect(gas.fullestBlock.gasUsed).toBeLessThan(gas.fullestBlock.gasLimit);
  });

  it('leaves no result when one is lost', async () => {
    const [known] = await stamp([freshCid()]);
    const lost = { ...(known as Acknowledged), cid: freshCid() };
    await expect(audit([known as Acknowledged, lost])).rejects.toThrow(
      'no result: of 2 acknowledged stamps 1 are lost, 0 doubled, 0 wrong',
    );
  });

  it('leaves no result when one is there twice (I2)', async () => {
    const cid = freshCid();
    const [first] = await stamp([cid]);
    await stamp([cid]);
    await expect(audit([first as Acknowledged])).rejects.toThrow('0 are lost, 1 doubled');
  });

  it.each([
    ['transaction_hash', `0x${'00'.repeat(32)}`],
    ['timestamp', '2020-01-01T00:00:00+00:00'],
    ['user_address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['object_cid', zeroCid],
    ['set_cid', `0x${'11'.repeat(32)}`],
    ['chain_id', 1],
  ])('leaves no result when a receipt has another %s than the chain (I1)', async (field, value) => {
    const [known] = await stamp([freshCid()]);
    const { commitment_receipt: receipt } = JSON.parse(known?.body ?? '') as { commitment_receipt: object };
    const body = JSON.stringify({ commitment_receipt: { ...receipt, [field]: value } });
    await expect(audit([{ ...(known as Acknowledged), body }])).rejects.toThrow(
      `0 are lost, 0 doubled, 1 wrong, among them ${known?.cid}`,
    );
  });
});
