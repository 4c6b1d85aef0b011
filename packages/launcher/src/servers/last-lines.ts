import { open } from 'node:fs/promises';

const TAIL_BYTES = 16_384;

/** The last `count` lines of a file, of which at most the last 16 KB are read; empty if there is no such file. */
export async function readLastLines(file: string, count: number): Promise<string[]> {
  try {
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return lastLines(buffer.toString('utf8', 0, bytesRead), count);
  } catch {
    return [];
  }
}

/** The last `count` lines of a text that are not blank. */
export function lastLines(text: string, count: number): string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(-count);
}
