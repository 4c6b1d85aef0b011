import { checkNames, linesOf, runDoctor, verdictOf } from '@indelible/cli/doctor';
import type { Connection } from '@indelible/launcher';

/** Findings of `indelible doctor`, of any age, with every stored file's SHA3-256: none, when all is well. */
export async function whatDoctorFinds({ connection }: { readonly connection: Connection }): Promise<readonly string[]> {
  const findings = await runDoctor(
    {
      databaseUrl: connection.databaseUrl,
      chainId: connection.chainId,
      chain: { rpcUrls: [connection.rpcUrl], contract: connection.contractAddress.toLowerCase() as `0x${string}` },
      blobStore: { kind: 'local', directory: connection.blobDirectory },
      checks: checkNames,
      pageSize: 100,
      graceSeconds: 0,
      overdueSeconds: 900,
      sha3: true,
      recheckAfterMs: 2_000,
      mostShown: 20,
    },
    () => {},
  );
  return verdictOf(findings) === 0 ? [] : findings.flatMap((finding) => linesOf(finding));
}
