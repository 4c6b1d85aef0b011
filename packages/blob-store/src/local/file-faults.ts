import { BlobStoreUnavailableError, InvalidBlobPathError } from '../errors.ts';

export const codeOf = (error: unknown): string | undefined => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
};

/**
 * The path itself is invalid: a part is not a folder, or is a link, or the file system refuses the name (EILSEQ: bytes
 * that are not text).
 */
const pathFaults = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EILSEQ']);
/** Calls that take a name: their EINVAL refuses the name (SMB, exFAT: `a:b.txt`), that of others the operation. */
const namingCalls = new Set(['open', 'mkdir', 'link', 'rename', 'lstat', 'stat', 'copyfile']);

const isPathFault = (code: string, error: unknown): boolean =>
  pathFaults.has(code) || (code === 'EINVAL' && namingCalls.has(String((error as { syscall?: unknown }).syscall)));

/** Runs a file operation; the system's errors come out as this package's, with the cause kept. */
export async function translated<Result>(what: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || code.startsWith('ERR_')) throw error;
    if (isPathFault(code, error)) throw new InvalidBlobPathError(`${what}: ${code}`, { cause: error });
    throw new BlobStoreUnavailableError(`${what}: ${code}`, { cause: error });
  }
}

/** The answer, or undefined when the file is not there. */
export async function ifThere<Result>(operation: Promise<Result>): Promise<Result | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
