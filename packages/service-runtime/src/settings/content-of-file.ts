import { readFileSync, statSync } from 'node:fs';

/** Why a variable's file cannot be used; says nothing of its content. */
export class FileFault extends Error {}

/** Bundles of certificate authorities have some hundred KiB. */
const maxBytes = 2 ** 20;

/**
 * The text of a file that holds a setting, as Kubernetes and Docker mount secrets, without the newline at its end.
 * @throws FileFault
 */
export function contentOfFile(path: string): string {
  let text: string;
  try {
    if (statSync(path).size > maxBytes) throw new FileFault(`names a file of more than ${maxBytes} bytes`);
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    if (error instanceof FileFault) throw error;
    throw new FileFault(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`);
  }
  if (text === '') throw new FileFault('names an empty file');
  return text;
}
