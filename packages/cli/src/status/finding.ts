import { describeError } from '../describe-error.ts';

/** What one look found: a line for people, the same as data, and whether it is as it should be. */
export type Finding = {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A look that failed is a finding: the others are printed all the same. */
export async function look(name: string, use: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await use();
  } catch (error) {
    const text = describeError(error);
    return [{ name, ok: false, text, data: { error: text } }];
  }
}
