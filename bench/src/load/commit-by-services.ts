import { setTimeout as delay } from 'node:timers/promises';
import { encodeCommitBatch, transactionLimits } from '@indelible/commitment-contract';
import {
  addressOfPrivateKey,
  broadcastTransaction,
  createRpc,
  estimateFees,
  getTransactionCount,
  signTransactionWithFees,
} from '@indelible/ethereum';
import { bytesOfHex, type Hex } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';
import { createLogger } from '@indelible/service-runtime';
import { createRpcChain } from '../../../services/chain-indexer/src/following/rpc-chain.ts';
import { composeBatch, type WaitingStamp } from '../../../services/stamping/src/decisions/compose-batch.ts';
import { cpuOf, waitingStamps } from './committed-stamps.ts';
import type { CommitJob, CommitOutcome } from './part-jobs.ts';

const lookMs = 100;
const includedWithinMs = 60_000;

/**
 * The client of the chain that the services are, in one process and without what they store: compose, encode, sign,
 * broadcast; follow the head, read receipts, decode logs; match.
 */
export async function commitByServices(job: CommitJob): Promise<CommitOutcome> {
  const { rpcUrl, chainId, contract } = job;
  const rpc = createRpc({ urls: [rpcUrl], timeoutMs: 30_000, chainId });
  const privateKey = bytesOfHex(job.laneKey);
  const logger = createLogger({ service: 'bench', level: 'error' });
  const chain = createRpcChain({
    rpc,
    timeoutMs: 10_000,
    contract,
    signal: AbortSignal.timeout(10 * includedWithinMs),
    logger,
  });
  try {
    const waiting = waitingStamps(job);
    const fees = await estimateFees(rpc);
    let nonce = await getTransactionCount(rpc, addressOfPrivateKey(privateKey), 'pending');
    let { number } = await chain.head();
    const limits = { ...transactionLimits, items: job.stampsPerBatch };
    const submitted = createSubmitted();
    const spent = await cpuOf(async () => {
      for (const stamps of waiting) {
        const composed = composeBatch(stamps, [], limits);
        if (composed.stamps.length !== stamps.length) throw new Error('a batch does not fit a transaction');
        const data = encodeCommitBatch(composed.runs, composed.objectCids);
        const transaction = signTransactionWithFees(
          { chainId, nonce: nonce++, to: contract, data, gasLimit: composed.size.gas },
          fees,
          privateKey,
        );
        submitted.add(
          transaction.hash,
          stamps,
          composed.stamps.map(({ stampId }) => stampId),
        );
        const { kind } = await broadcastTransaction(rpc, transaction);
        if (kind !== 'accepted') throw new Error(`a transaction was not accepted: ${kind}`);
      }
      for (const until = performance.now() + includedWithinMs; submitted.open() > 0; ) {
        const head = await chain.head();
        if (head.number === number) {
          if (performance.now() > until) throw new Error(`${submitted.open()} stamps are in no block in time`);
          await delay(lookMs);
          continue;
        }
        const headers = await chain.headers(Array.from({ length: head.number - number }, (_, i) => number + 1 + i));
        for (const block of await chain.withLogs(headers)) {
          for (const log of block.logs) submitted.match(log);
          number = block.number;
        }
      }
    });
    return { stamps: job.batches * job.stampsPerBatch, ...spent };
  } finally {
    rpc.close();
  }
}

type Item = Pick<WaitingStamp, 'account' | 'setCid' | 'objectCid'>;

/** A transaction's object logs stand in the order of its batch, so that each is compared with the one that is due. */
function createSubmitted() {
  const batches = new Map<Hex, { readonly items: readonly Item[]; matched: number }>();
  let open = 0;
  return {
    open: (): number => open,
    /** @param inOrder the stamps' ids as they stand in the transaction */
    add(hash: Hex, stamps: readonly WaitingStamp[], inOrder: readonly string[]): void {
      const byId = new Map(stamps.map((stamp) => [stamp.stampId, stamp]));
      batches.set(hash, { items: inOrder.map((id) => byId.get(id) as WaitingStamp), matched: 0 });
      open += stamps.length;
    },
    /** @throws Error for a log that is no stamp's */
    match(log: ChainLog): void {
      const batch = batches.get(log.transactionHash);
      if (batch === undefined || log.kind !== 'object') return;
      const item = batch.items[batch.matched++];
      if (
        item === undefined ||
        item.objectCid !== log.objectCid ||
        item.setCid !== log.setCid ||
        item.account !== log.user
      )
        throw new Error(`log ${log.logIndex} of ${log.transactionHash} is no stamp's`);
      open--;
    },
  };
}
