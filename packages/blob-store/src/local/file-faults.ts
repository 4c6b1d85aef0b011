import { BlobStoreUnavailableError, InvalidBlobPathError } from '../errors.ts';

export const codeOf = (error: unknown): string | undefined => {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
};

/** Something stands in the path that is no folder, or a link: the path itself is at fault. */
const pathFaults = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** Runs a file operation; the system's errors come out as this package's, with the cause kept. */
export async function translated<Result>(what: string, operation: () => Promise<Result>): Promise<Result> {
  try {
    return await operation();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined || code.startsWith('ERR_')) throw error;
    if (pathFaults.has(code)) throw new InvalidBlobPathError(`${what}: ${code}`, { cause: error });
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
