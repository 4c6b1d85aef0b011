import { readContractLog } from '@indelible/commitment-contract';
import { getTransactionReceipt, type Rpc, RpcUnavailableError } from '@indelible/ethereum';
import { type Hex, zeroCid } from '@indelible/identifiers';

/** What a transaction had for effect on the contract: none of it when it reverted, or did something else. */
export type CarriedItems = {
  readonly objects: readonly { readonly account: Hex; readonly setCid: Hex; readonly objectCid: Hex }[];
  readonly sets: readonly { readonly account: Hex; readonly cid: Hex }[];
  readonly granted: readonly Hex[];
};

/** @throws RpcUnavailableError when the node has no receipt of it */
export async function readCarriedItems(rpc: Rpc, hash: Hex, contract: Hex): Promise<CarriedItems> {
  const receipt = await getTransactionReceipt(rpc, hash);
  if (receipt === null) throw new RpcUnavailableError(`the node has no receipt of ${hash}`);
  const events = receipt.logs
    .filter(({ address }) => address === contract)
    .flatMap((log) => {
      const event = readContractLog(log);
      return event === undefined || event === 'undecodable' ? [] : [event];
    });
  return {
    objects: events.flatMap((event) => {
      if (event.kind === 'AddObject') return [{ account: event.user, setCid: zeroCid, objectCid: event.objectCid }];
      if (event.kind === 'AddSetObject')
        return [{ account: event.user, setCid: event.setCid, objectCid: event.objectCid }];
      return [];
    }),
    sets: events.flatMap((event) => (event.kind === 'AddSet' ? [{ account: event.user, cid: event.setCid }] : [])),
    granted: events.flatMap((event) => (event.kind === 'GrantBySignature' ? [event.user] : [])),
  };
}
