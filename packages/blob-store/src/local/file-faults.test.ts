import { describe, expect, it } from '@jest/globals';
import { translated } from './file-faults.ts';

const fault = (code: string, syscall: string): Error => Object.assign(new Error(code), { code, syscall });
const translation = (error: Error) => translated('content cannot be stored', () => Promise.reject(error));

describe('faults of files', () => {
  it.each([
    ['EILSEQ', 'link'],
    ['EILSEQ', 'mkdir'],
    ['EINVAL', 'open'],
    ['EINVAL', 'link'],
    ['ENAMETOOLONG', 'mkdir'],
  ])('%s of %s is of the path: the same file meets it again, and others do not (I12)', async (code, syscall) => {
    await expect(translation(fault(code, syscall))).rejects.toMatchObject({
      name: 'InvalidBlobPathError',
      retryable: false,
    });
  });

  it.each([
    ['ENOSPC', 'write'],
    ['EIO', 'fsync'],
    ['EROFS', 'link'],
    ['EINVAL', 'fsync'],
    ['EACCES', 'open'],
  ])('%s of %s is of the disk: no content is given up for it', async (code, syscall) => {
    await expect(translation(fault(code, syscall))).rejects.toMatchObject({
      name: 'BlobStoreUnavailableError',
      retryable: true,
    });
  });
});
