import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readMessages, workspace } from './support/contents.ts';
import { lastRelease } from './support/releases.ts';

// Two releases run side by side during an upgrade, and what one publishes the other reads.

const release = await lastRelease();
const messages = await readMessages(workspace);
const nameOf = ({ type, version }: { readonly type: string; readonly version: number }): string => `${type} ${version}`;
const current = new Map(messages.map((message) => [nameOf(message), message]));
const known = new Set(release.messages.map(nameOf));

describe('a message of the last release', () => {
  it.each(release.messages.map((message) => [nameOf(message), message] as const))(
    '%s is the same message in this release: either reads what the other writes',
    (name, message) => {
      expect(current.get(name)).toEqual(message);
    },
  );
});

describe('a message that the last release does not know', () => {
  const added = messages.map(nameOf).filter((name) => !known.has(name));
  it('has a row in docs/upgrades.md, which names who is updated before its producer', async () => {
    const page = await readFile(join(workspace, 'docs/upgrades.md'), 'utf8');
    for (const name of added) expect([name, page.includes(`| \`${name}\` |`)]).toEqual([name, true]);
  });
});
