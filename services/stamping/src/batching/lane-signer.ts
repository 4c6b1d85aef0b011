import type { SignDigest } from '@indelible/ethereum';
import { SignerError, type SignerFault, type SignerPort } from '@indelible/ethereum/custody';
import type { Hex } from '@indelible/identifiers';
import { createOutageLog, type Logger } from '@indelible/service-runtime';

export type LaneSigner = {
  readonly address: Hex;
  /** @throws SignerError */
  readonly sign: SignDigest;
  /** Whether it signs. After a failure it is retried when its pause is over. */
  signs(): Promise<boolean>;
  /** Whether its last use failed. */
  failing(): boolean;
  /** How long it is not retried. */
  pauseMs(): number;
};

const firstPauseMs = 500;
const longestPauseMs = 10_000;
/** Signed to check whether a signer works again: 32 bytes that no transaction or typed data hashes to. */
const probe: Hex = `0x${'00'.repeat(32)}`;

/**
 * The signer of one lane. While it fails, the lane claims nothing and signs no replacement, and retries the signer now
 * and then; what is already signed is still broadcast and confirmed (I11).
 */
export function createLaneSigner(options: {
  readonly signer: Pick<SignerPort, 'signDigest'>;
  readonly index: number;
  readonly address: Hex;
  readonly onFault: (lane: Hex, fault: SignerFault) => void;
  readonly logger: Logger;
  readonly now: () => number;
}): LaneSigner {
  const { signer, index, address, logger, now } = options;
  let failures = 0;
  let pausedUntil = 0;
  let lastFault: SignerFault = 'unavailable';
  const outage = createOutageLog({
    logger: {
      info: (fields, message) => logger.info(fields, message),
      // Only an operator can fix a refusal.
      warn: (fields, message) => logger[lastFault === 'refused' ? 'error' : 'warn'](fields, message),
    },
    waitingFor: `the signer of lane ${address}`,
    fields: { lane: address },
    now,
  });

  async function sign(digest: Hex): Promise<Hex> {
    try {
      const signature = await signer.signDigest(index, digest);
      failures = 0;
      outage.ended();
      return signature;
    } catch (error) {
      if (!(error instanceof SignerError)) throw error;
      pausedUntil = now() + Math.min(firstPauseMs * 2 ** failures, longestPauseMs);
      failures += 1;
      lastFault = error.fault;
      options.onFault(address, error.fault);
      outage.failed(error);
      throw error;
    }
  }

  const pauseMs = (): number => (failures === 0 ? 0 : Math.max(0, pausedUntil - now()));

  return {
    address,
    sign,
    async signs() {
      if (failures === 0) return true;
      if (pauseMs() > 0) return false;
      return sign(probe).then(
        () => true,
        (error: unknown) => {
          if (error instanceof SignerError) return false;
          throw error;
        },
      );
    },
    failing: () => failures > 0,
    pauseMs,
  };
}
