import { randomUUID } from 'node:crypto';
import { bytesPassed } from '@indelible/service-runtime';
import { type BlobStore, createGcsBlobStore, createLocalBlobStore } from '../src/index.ts';

const chunkBytes = 64 * 1024;
const warmUpBytes = 16 * 1024 * 1024;

/** A process of its own that stages so many bytes and prints by how many its greatest memory (RSS) grew meanwhile. */
async function stageMuch(store: BlobStore, bytes: number): Promise<void> {
  // What is loaded and compiled once is not the upload's.
  await stage(store, warmUpBytes);
  const before = process.resourceUsage().maxRSS;
  await stage(store, bytes);
  const grownBytes = (process.resourceUsage().maxRSS - before) * 1024;
  process.stdout.write(JSON.stringify({ bytes, grownBytes }));
}

async function stage(store: BlobStore, bytes: number): Promise<void> {
  const stagedId = randomUUID();
  const writer = await store.stage(stagedId);
  // One chunk for all: what it takes is the driver's own.
  const chunk = Buffer.alloc(chunkBytes);
  for (let sent = 0; sent < bytes; sent += chunkBytes) {
    await writer.write(chunk.fill(sent / chunkBytes));
    // As the gateway's reader of bodies does.
    bytesPassed(chunkBytes);
  }
  const { size } = await writer.finish();
  if (size !== bytes) throw new Error(`${size} bytes were staged`);
  await store.discard(stagedId);
}

const [kind, place = '', apiEndpoint = '', bytes] = process.argv.slice(2);
await stageMuch(
  kind === 'gcs' ? createGcsBlobStore({ bucket: place, apiEndpoint }) : createLocalBlobStore({ directory: place }),
  Number(bytes),
);
