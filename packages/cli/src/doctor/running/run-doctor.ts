import { type BlobStoreConfig, createBlobStore } from '@indelible/blob-store';
import { createRpc, getCode } from '@indelible/ethereum';
import type { Hex } from '@indelible/identifiers';
import { UnavailableError } from '@indelible/service-runtime';
import { type ChainPort, createChainPort } from '../readers/chain-logs.ts';
import { createReader } from '../readers/reader.ts';
import { type CheckName, checkNames, type Part, partsOf } from './check-names.ts';
import { type CheckPorts, surveysOf } from './create-checks.ts';
import { describeUnavailable } from './describe-unavailable.ts';
import { examine, type Finding } from './examine.ts';

export type DoctorSettings = Omit<CheckPorts, 'reader' | 'chain' | 'blobs'> & {
  readonly databaseUrl: string;
  /** What the requested checks need (`partsOf`). */
  readonly chain?: { readonly rpcUrls: readonly string[]; readonly contract: Hex };
  readonly blobStore?: BlobStoreConfig;
  readonly checks: readonly CheckName[];
  readonly recheckAfterMs: number;
  readonly mostShown: number;
  readonly signal?: AbortSignal;
};

/** Ranges whose logs are larger are halved; a block's receipts that are larger are read in parts. */
const maxResponseBytes = 64 * 1024 * 1024;
const rpcTimeoutMs = 20_000;

/**
 * Compares chain, event stores, read models and stored files, one check after the other, and reports each finding at once.
 * It only reads, through one or two connections. An unavailable server ends the checks that need it, no other.
 * @throws the signal's reason; TypeError for an invalid RPC URL, or a missing part
 */
export async function runDoctor(
  settings: DoctorSettings,
  report: (finding: Finding) => void,
): Promise<readonly Finding[]> {
  const { chain: chainSettings, blobStore, ...rest } = settings;
  const rpc = chainSettings && createRpc({ urls: chainSettings.rpcUrls, timeoutMs: rpcTimeoutMs, maxResponseBytes });
  const chain =
    rpc &&
    chainSettings &&
    createChainPort({
      rpc,
      chainId: settings.chainId,
      contract: chainSettings.contract,
      timeoutMs: rpcTimeoutMs,
      signal: settings.signal ?? new AbortController().signal,
    });
  const blobs = blobStore && createBlobStore(blobStore);
  const reader = createReader({ url: settings.databaseUrl });
  const prepare: Readonly<Record<Part, () => Promise<void>>> = {
    chain: async () => chain && checkChain(chain),
    blobs: async () => blobs?.requirePlace(),
  };
  const ports: CheckPorts = { ...rest, reader, ...(chain && { chain }), ...(blobs && { blobs }) };
  const findings: Finding[] = [];
  try {
    for (const name of checkNames.filter((one) => settings.checks.includes(one))) {
      const check = {
        name,
        surveys: surveysOf(name, ports),
        prepare: async () => {
          for (const part of partsOf[name]) await prepare[part]();
        },
      };
      const finding = await examine(check, { ...settings, describe: describeUnavailable });
      report(finding);
      findings.push(finding);
    }
    return findings;
  } finally {
    rpc?.close();
    await reader.close();
  }
}

async function checkChain({ rpc, chainId, contract }: ChainPort): Promise<void> {
  const found = await rpc.chainId();
  if (found !== chainId)
    throw new UnavailableError(`the chain (RPC_URL): it is chain ${found}, CHAIN_ID is ${chainId}`);
  if ((await getCode(rpc, contract)) === '0x')
    throw new UnavailableError(`the chain (RPC_URL): there is no contract at ${contract} (CONTRACT_ADDRESS)`);
}
