import { type Hex, zeroCid } from '@indelible/identifiers';
import { type ContractLog, readContractLog } from './logs.ts';

/**
 * The effect of a contract log, with its place in the block, as messages carry it. An object in no set has the zero set
 * CID.
 */
export type ContractEffect = {
  readonly kind: 'set' | 'object' | 'grant' | 'revoke';
  readonly transactionHash: Hex;
  readonly logIndex: number;
  readonly user: Hex;
  readonly setCid?: Hex;
  readonly objectCid?: Hex;
  readonly delegate?: Hex;
};

type Log = ContractLog & Pick<ContractEffect, 'transactionHash' | 'logIndex'>;

/**
 * Undefined for logs that concern no reader (lanes, other events), `undecodable` for one that names an event and does not
 * have its shape.
 */
export function effectOfLog(log: Log): ContractEffect | 'undecodable' | undefined {
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
