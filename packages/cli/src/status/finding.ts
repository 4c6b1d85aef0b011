import { describeError } from '../describe-error.ts';

/** The result of one check: a line for people, the same as data, and whether it is healthy. */
export type Finding = {
  readonly name: string;
  readonly ok: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** A failed check is a finding: the others are still printed. */
export async function look(name: string, use: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await use();
  } catch (error) {
    const text = describeError(error);
    return [{ name, ok: false, text, data: { error: text } }];
  }
}
