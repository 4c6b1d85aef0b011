import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../docs/runbooks');

/** A page for an alert: what an operator would copy from it. */
export type Runbook = {
  readonly name: string;
  /** PromQL of the part `Confirm`. */
  readonly confirming: readonly string[];
  /** PromQL of the whole page. */
  readonly queries: readonly string[];
  /** SQL of the whole page, statement by statement. */
  readonly statements: readonly string[];
};

const codeOf = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string);
const isQuery = (code: string): boolean => /\bindelible[_:]\w/.test(code) && !/=(?:true|false|\w+:)/.test(code);

export function readRunbook(name: string): Runbook {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8');
  const confirm = /^## Confirm$(.*?)^## /ms.exec(text)?.[1] ?? '';
  const code = codeOf(text);
  return {
    name,
    confirming: codeOf(confirm).filter(isQuery),
    queries: code.filter(isQuery),
    statements: code.filter((each) => each.startsWith('select ')),
  };
}

export const runbookNames = readdirSync(folder).map((file) => file.replace(/\.md$/, ''));
