import { readContractLog } from '@indelible/commitment-contract';
import { zeroCid } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';

type Log = Parameters<typeof readContractLog>[0] & Pick<ChainLog, 'transactionHash' | 'logIndex'>;

/**
 * A log of the contract as readers get it; undefined for those that concern no reader (lanes), `undecodable` for one that
 * names an event and does not have its shape.
 */
export function chainLogOf(log: Log): ChainLog | 'undecodable' | undefined {
  const { transactionHash, logIndex } = log;
  const event = readContractLog(log);
  if (event === undefined || event === 'undecodable') return event;
  switch (event.kind) {
    case 'AddSet':
      return { kind: 'set', transactionHash, logIndex, user: event.user, setCid: event.setCid };
    case 'AddObject': {
      const { user, objectCid } = event;
      return { kind: 'object', transactionHash, logIndex, user, setCid: zeroCid, objectCid };
    }
    case 'AddSetObject': {
      const { user, setCid, objectCid } = event;
      return { kind: 'object', transactionHash, logIndex, user, setCid, objectCid };
    }
    case 'Grant':
    case 'GrantBySignature':
      return { kind: 'grant', transactionHash, logIndex, user: event.user, delegate: event.delegate };
    case 'Revoke':
    case 'RevokeBySignature':
      return { kind: 'revoke', transactionHash, logIndex, user: event.user, delegate: event.delegate };
    case 'LaneAdded':
    case 'LaneRemoved':
      return undefined;
  }
}
