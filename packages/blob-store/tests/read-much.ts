import { randomUUID } from 'node:crypto';
import { createGcsBlobStore } from '../src/index.ts';

/** A process of its own that stages so many bytes, reads them, and prints how many came: Node warns once a process. */
const [bucket = '', apiEndpoint = '', bytes] = process.argv.slice(2);
const store = createGcsBlobStore({ bucket, apiEndpoint });
const stagedId = randomUUID();
const writer = await store.stage(stagedId);
const chunk = Buffer.alloc(64 * 1024);
for (let sent = 0; sent < Number(bytes); sent += chunk.length) await writer.write(chunk);
await writer.finish();
let read = 0;
for await (const part of (await store.readStaged(stagedId)) ?? []) read += (part as Buffer).length;
process.stdout.write(String(read));
