import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type BlobStore, createLocalBlobStore } from '@indelible/blob-store';
import type { StagedContent } from '@indelible/messages';
import { claimOf } from './stamps.ts';

export type TestBlobStore = BlobStore & { readonly directory: string; remove(): Promise<void> };

/** A blob store in a folder of its own. */
export async function testBlobStore(): Promise<TestBlobStore> {
  const directory = await mkdtemp(join(tmpdir(), 'storage-test-'));
  const remove = () => rm(directory, { recursive: true, force: true });
  return { ...createLocalBlobStore({ directory }), directory, remove };
}

/** Stages content as the gateway does. */
export async function stage(store: BlobStore, content: string, fileName?: string): Promise<StagedContent> {
  const stagedId = randomUUID();
  const writer = await store.stage(stagedId);
  await writer.write(Buffer.from(content));
  return claimOf(content, await writer.finish(), { stagedId, ...(fileName === undefined ? {} : { fileName }) });
}

export async function contentAt(store: BlobStore, path: string): Promise<string | undefined> {
  const file = await store.open(path);
  return file === undefined ? undefined : (await buffer(file.stream)).toString();
}

export async function isStaged(store: BlobStore, { stagedId }: StagedContent): Promise<boolean> {
  const stream = await store.readStaged(stagedId);
  stream?.destroy();
  return stream !== undefined;
}
