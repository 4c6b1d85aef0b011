import { contentOfFile } from './content-of-file.ts';
import type { Secrecy } from './setting.ts';

/** A path segment may be a node provider's key; a shorter one is a version or name. */
const shortestKeyInPath = 16;

/** The secret parts of a variable's text. */
export function secretsIn(text: string, secrecy: Secrecy): string[] {
  switch (secrecy) {
    case 'none':
      return [];
    case 'whole':
      return text.startsWith('-----BEGIN') ? linesOf(text) : [text, ...partsOf(text)];
    case 'credentials':
      return ofUrl(text);
    case 'path':
      return text.split(',').flatMap((one) => [...ofUrl(one.trim()), ...keysInPath(one.trim())]);
  }
}

/** Of a variable whose value is a secret or the path of its file. */
export function secretsInTextOrFile(textOrPath: string): string[] {
  try {
    return secretsIn(contentOfFile(textOrPath), 'whole');
  } catch {
    // faults may name a path
    return textOrPath.includes('/') ? [] : [textOrPath];
  }
}

/** PEM, whose parts a library may quote line by line. */
const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('-'));

/** Of a list, each; of `id:secret`, the secret. */
const partsOf = (text: string): string[] =>
  text.split(',').flatMap((part) => [part.trim(), part.slice(part.indexOf(':') + 1).trim()]);

/** A password that also occurs elsewhere in the URL is a trial's default, like a name. */
function ofUrl(text: string): string[] {
  if (!URL.canParse(text)) return [text];
  const { password, username, host, pathname, searchParams } = new URL(text);
  const shown = [username, host, pathname].join('\n');
  const passwords = [password, ...['password', 'sslpassword'].flatMap((name) => searchParams.getAll(name))];
  return passwords.filter((one) => one !== '' && !shown.includes(one));
}

function keysInPath(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { pathname, searchParams } = new URL(text);
  return [...pathname.split('/').filter(({ length }) => length >= shortestKeyInPath), ...searchParams.values()];
}
