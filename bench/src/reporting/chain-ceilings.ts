import { profileOf } from '@indelible/ethereum';

/** Gas that a chain carries a second, and who says so. */
type ChainGas = {
  readonly chainId: number;
  readonly perBlock?: number;
  /** Where something else than its blocks bounds a chain for long. */
  readonly perSecond?: number;
  readonly source: string;
};

/** As documented; prices and limits are for whoever runs a chain to change. */
const chainGas: readonly ChainGas[] = [
  { chainId: 1, perBlock: 60_000_000, source: '[EIP-7935](https://eips.ethereum.org/EIPS/eip-7935), 2025' },
  {
    chainId: 10,
    perBlock: 40_000_000,
    source:
      '[docs.optimism.io](https://docs.optimism.io/app-developers/guides/transactions/flashblocks-and-gas-usage), read 2026-11',
  },
  {
    chainId: 8_453,
    perBlock: 140_000_000,
    source: '[docs.base.org](https://docs.base.org/base-chain/network-information/block-building), 2025-09',
  },
  {
    chainId: 42_161,
    perSecond: 7_000_000,
    source:
      'speed limit, beyond which the price rises: [docs.arbitrum.io](https://docs.arbitrum.io/launch-orbit-chain/how-tos/orbit-managing-gas-speed-limit), 2025',
  },
  {
    chainId: 137,
    perBlock: 60_000_000,
    source:
      'proposed in [PIP-71](https://forum.polygon.technology/t/pip-71-increase-gas-limit-to-60m/21269), 2025-08 (45 M before)',
  },
  {
    chainId: 43_114,
    perSecond: 2_100_000,
    source:
      'target, beyond which the price rises: [build.avax.network](https://build.avax.network/blog/gas-target-increase), 2025',
  },
  {
    chainId: 100,
    perBlock: 30_000_000,
    source: '[docs.gnosischain.com](https://docs.gnosischain.com/about/specs/), read 2026-11',
  },
];

/** Gas of a stamp: of many of an account together, and of one that is alone in its transaction. */
export type GasPerStamp = { readonly together: number; readonly alone: number };

/** A row a chain, of Markdown. */
export function ceilingsTable({ together, alone }: GasPerStamp): string {
  const whole = (value: number): string => Math.floor(value).toLocaleString('en');
  const rows = chainGas.map(({ chainId, perBlock, perSecond, source }) => {
    const { name, blockTimeMs } = profileOf(chainId);
    const gas = perSecond ?? ((perBlock ?? Number.NaN) * 1_000) / blockTimeMs;
    const limit = perBlock === undefined ? `${whole(gas)} a second` : `${whole(perBlock)} a block`;
    return `| ${name} | ${blockTimeMs / 1_000} s | ${limit} | ${whole(gas / together)} | ${whole(gas / alone)} | ${source} |`;
  });
  return [
    `| chain | block time | gas | stamps/s, 500 in 10 sets (${whole(together)} gas each) | stamps/s, each alone (${whole(alone)} gas) | source of the gas |`,
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
