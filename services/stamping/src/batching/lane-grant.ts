import { decodeLaneOperator, encodeLaneOperator } from '@indelible/commitment-contract';
import { ethCall, type Rpc } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { createOutageLog, type Logger } from '@indelible/service-runtime';

export type LaneGrant = {
  /** Whether the lane may write for the operator; the chain is read again after some time. */
  holds(): Promise<boolean>;
  /** Whether the last check found it missing. */
  missing(): boolean;
};

/** The operator for which the lane may write now; undefined when it has none. */
export async function operatorOfLane(rpc: Rpc, contract: Hex, lane: Hex): Promise<Hex | undefined> {
  return decodeLaneOperator(await ethCall(rpc, { to: contract, data: encodeLaneOperator({ lane }) }, 'latest'));
}

/**
 * The operator's grant for a lane. Its key need not be where stamping runs: the grant is signed elsewhere. While no
 * block has the grant, and after the operator revoked it, the lane takes nothing new, since its transactions would
 * revert; it still handles what it signed before.
 */
export function createLaneGrant(options: {
  readonly rpc: Rpc;
  readonly contract: Hex;
  readonly operator: Hex;
  readonly lane: Hex;
  readonly maxAgeMs: number;
  readonly onLooked: (lane: Hex, missing: boolean) => void;
  readonly logger: Logger;
  readonly now: () => number;
}): LaneGrant {
  const { rpc, contract, operator, lane, logger, now } = options;
  let known: { readonly at: number; readonly missing: boolean } | undefined;
  const outage = createOutageLog({
    logger: {
      info: (fields, message) => logger.info(fields, message),
      // Only the operator can fix it.
      warn: (fields, message) => logger.error(fields, message),
    },
    waitingFor: `the grant of lane ${lane} by operator ${operator}`,
    fields: { lane, operator, contract },
    now,
  });

  return {
    async holds() {
      if (known === undefined || now() - known.at >= options.maxAgeMs) {
        const holder = await operatorOfLane(rpc, contract, lane);
        known = { at: now(), missing: holder !== operator };
        options.onLooked(lane, known.missing);
        if (!known.missing) outage.ended();
        else outage.failed(new Error(holder === undefined ? 'the lane has no operator' : `its operator is ${holder}`));
      }
      return !known.missing;
    },
    missing: () => known?.missing === true,
  };
}
