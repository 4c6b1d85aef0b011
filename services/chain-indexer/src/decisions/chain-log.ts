import { decodeContractLog } from '@indelible/commitment-contract';
import { zeroCid } from '@indelible/identifiers';
import type { ChainLog } from '@indelible/messages';

type Log = Parameters<typeof decodeContractLog>[0] & Pick<ChainLog, 'transactionHash' | 'logIndex'>;

/**
 * A log of the contract as readers get it; undefined for those that concern no reader (lanes).
 * @throws MalformedAnswerError when a log of a known kind has another shape
 */
export function chainLogOf(log: Log): ChainLog | undefined {
  const { transactionHash, logIndex } = log;
  const event = decodeContractLog(log);
  if (event === undefined) return undefined;
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
