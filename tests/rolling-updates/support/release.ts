import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName } from '@indelible/launcher';

/** A version of the product, as a folder with its packages installed. */
export type Release = { readonly name: string; readonly root: string };

/** How a release starts its services. */
export type Programs = Readonly<
  Record<ServiceName, { readonly words: readonly string[]; readonly environment: Readonly<Record<string, string>> }>
>;

/** What is there before the first service of an installation starts. */
export type Provisioned = {
  readonly contractAddress: string;
  readonly account: string;
  readonly apiKey: string;
  readonly chainId: number;
};

export type Installation = {
  readonly addresses: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly secretsDir: string;
  readonly topicPrefix: string;
  readonly publicTopic: object;
  /** Where clients and other services reach each service. */
  readonly ports: Readonly<Record<ServiceName | 'api', number>>;
};

export const thisRelease: Release = { name: 'this release', root: resolve(import.meta.dirname, '../../..') };

export const nodeOf = ({ root }: Release): string => join(root, 'node_modules', 'node', 'bin', 'node');

/** @param provisioned by another release; without it the release provisions the servers itself */
export async function readPrograms(
  release: Release,
  installation: Installation,
  provisioned?: Provisioned,
): Promise<{ readonly provisioned: Provisioned; readonly programs: Programs }> {
  const program = join(import.meta.dirname, 'release-program.mjs');
  const options = JSON.stringify({ root: release.root, ...installation, ...(provisioned && { provisioned }) });
  const { stdout } = await promisify(execFile)(nodeOf(release), [program, options], { cwd: release.root });
  return JSON.parse(stdout) as { provisioned: Provisioned; programs: Programs };
}
