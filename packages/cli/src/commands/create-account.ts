import type { AccountStore } from '@indelible/accounts';
import { decodeNonces, encodeNonces } from '@indelible/commitment-contract';
import { createRpc, ethCall, type Rpc } from '@indelible/ethereum';
import { createSeedCustody, seedFromHexOrFile } from '@indelible/ethereum/custody';
import { checksumAddress, type Hex } from '@indelible/identifiers';
import { withAccountStore } from '../accounts-store.ts';
import { checkChain } from '../chain/check-chain.ts';
import { waitForGrant } from '../chain/wait-for-grant.ts';
import type { OpeningSettings } from '../config.ts';
import type { CommandContext, GlobalOptions } from '../context.ts';
import { describeError } from '../describe-error.ts';
import { SettingsError } from '../settings-error.ts';

export type CreateOptions = GlobalOptions & {
  readonly name: string;
  readonly email: string;
  readonly description?: string;
  readonly displayTimezone: string;
  readonly wait: number;
};

const rpcTimeoutMs = 5_000;

/**
 * The key is printed before the wait: it is shown once, and must not be lost with an interrupted wait. An account whose
 * grant is still on its way is a success, since the grant is in the service's outbox.
 */
export async function createAccount(context: CommandContext, options: CreateOptions): Promise<void> {
  const settings = context.config.opening();
  const signer = createSeedCustody({ seed: await readSeed(settings) });
  const rpc = createRpc({ urls: settings.rpcUrls, timeoutMs: rpcTimeoutMs });
  const nonceOf = async (user: Hex): Promise<bigint> =>
    decodeNonces(await ethCall(rpc, { to: settings.contract, data: encodeNonces({ user }) }));
  try {
    await checkChain(rpc, settings);
    await withAccountStore(settings, async (store) => {
      if (await store.isEmailInUse(options.email))
        context.note(`another account has the e-mail address ${options.email} already: this is one more`);
      const { account, persistentId, apiKey } = await store.openAccount(options, { signer, ...settings, nonceOf });
      const address = checksumAddress(account);
      context.out(
        options.json
          ? JSON.stringify({ address, persistentId, apiKey })
          : `Address  ${address}\nId       ${persistentId}\nAPI key  ${apiKey}  (shown once: keep it safe)`,
      );
      if (options.wait === 0) return;
      if (!options.json) context.note('waiting for the grant on chain …');
      await awaitGrant(context, { rpc, store, settings, account, seconds: options.wait });
    });
  } finally {
    rpc.close();
  }
}

/** The account is open: what happens here is reported, and fails nothing. */
async function awaitGrant(
  context: CommandContext,
  wait: { rpc: Rpc; store: AccountStore; settings: OpeningSettings; account: Hex; seconds: number },
): Promise<void> {
  const { rpc, store, account, seconds } = wait;
  const { contract, operator } = wait.settings;
  try {
    if (await waitForGrant({ rpc, contract, user: account, operator, timeoutMs: seconds * 1_000 }))
      await store.noteGrantsSeen([account]);
    else
      context.note(
        `the grant is still on its way after ${seconds} s: the account is open, its first stamps wait for it`,
      );
  } catch (error) {
    context.note(`the account is open, but its grant could not be looked up: ${describeError(error)}`);
  }
}

async function readSeed(settings: OpeningSettings): Promise<Uint8Array> {
  try {
    return await seedFromHexOrFile(settings.custodySeed);
  } catch (cause) {
    throw new SettingsError(
      `custody's seed cannot be read: run \`npm start\` first, or set CUSTODY_SEED or CUSTODY_SEED_FILE (${describeError(cause)})`,
      { cause },
    );
  }
}
