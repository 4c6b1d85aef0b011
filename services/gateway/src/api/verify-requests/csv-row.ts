import { HttpError } from '../../errors/http-error.ts';

export type CsvRow = {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly values: readonly string[];
};

export const invalidLine = (line: number, text: string): HttpError => new HttpError(400, `line ${line}: ${text}`);
