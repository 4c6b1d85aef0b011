import { expect } from '@jest/globals';
import type { Answer } from './api.ts';

/** Internal words: stacks, statements, paths, names of libraries. */
const internals =
  /\.ts\b|node_modules|\bat [\w.<>]+ \(|select |insert |postgres|kafka|redis|ECONN|TypeError|RangeError|SyntaxError|\/work\/|\/home\/|\/tmp\//i;

/** A refusal by the contract: the status, `{error, details?}` as strings, the culprit named, nothing leaked. */
export function expectRefusal(answer: Answer, status: number, named?: string | RegExp): void {
  const { error, details, ...others } = answer.body;
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(error).toEqual(expect.stringMatching(/\S/));
  expect(others).toEqual({});
  expect(['string', 'undefined']).toContain(typeof details);
  const told = `${error} ${details ?? ''}`;
  expect(told).not.toMatch(internals);
  if (named !== undefined) expect(told).toMatch(named);
}
