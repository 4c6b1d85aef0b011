import { describe, expect, it } from '@jest/globals';
import { requireOpenFiles } from './open-files.ts';

describe('connections that a process may open', () => {
  it('are refused beyond the limit, with what to do', () => {
    expect(() => requireOpenFiles(1)).not.toThrow();
    expect(() => requireOpenFiles(2 ** 40, () => 1_024)).toThrow(
      '1099511627776 connections need 1099511628032 open files, and a process may have 1024 here: raise the limit (ulimit -n)',
    );
  });
});
