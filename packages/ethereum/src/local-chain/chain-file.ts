import { open, readFile, rename } from 'node:fs/promises';
import { callRpc } from './json-rpc.ts';

const TIMEOUT_MS = 60_000;

/** Loads the blocks and accounts saved in `file` into a chain that has just started; without such a file it starts from block 0. */
export async function loadChain(rpcUrl: string, file: string): Promise<void> {
  const state = await readFile(file).catch(() => undefined);
  if (state === undefined) return;
  try {
    await callRpc(rpcUrl, 'anvil_loadState', [`0x${state.toString('hex')}`], AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    throw new Error(`the chain kept in ${file} cannot be read`, { cause: error });
  }
}

/** Saves the chain in `file`, atomically: it always holds the new state or the one before. Returns its size. */
export async function saveChain(rpcUrl: string, file: string): Promise<number> {
  const state = await callRpc<string>(rpcUrl, 'anvil_dumpState', [], AbortSignal.timeout(TIMEOUT_MS));
  const part = `${file}.part`;
  const bytes = Buffer.from(state.slice(2), 'hex');
  {
    await using handle = await open(part, 'w', 0o600);
    await handle.writeFile(bytes);
    await handle.sync();
  }
  await rename(part, file);
  return bytes.length;
}
