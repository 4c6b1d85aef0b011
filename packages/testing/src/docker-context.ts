/**
 * Which files reach a Docker build, by the rules of `.dockerignore` (moby's patternmatcher): patterns in order, the
 * last that matches decides, `!` includes a path again, and a pattern that matches a folder matches its contents.
 */
export function readDockerignore(text: string): { includes(path: string): boolean } {
  const rules = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '!')
    .map((line) => {
      const brings = line.startsWith('!');
      return { brings, shape: shapeOf(cleaned(brings ? line.slice(1) : line)) };
    });
  return {
    includes(path) {
      const parents = path.split('/').map((_name, i, names) => names.slice(0, i + 1).join('/'));
      let included = true;
      for (const { brings, shape } of rules) if (parents.some((parent) => shape.test(parent))) included = brings;
      return included;
    },
  };
}

const cleaned = (pattern: string): string =>
  pattern
    .trim()
    .replace(/^\.?\/+/, '')
    .replace(/\/+$/, '');

/** `**` is any number of folders, `*` and `?` do not pass a slash. */
function shapeOf(pattern: string): RegExp {
  const source = pattern.replace(/[.+^${}()|\\]/g, '\\$&').replace(/\*\*\/?|\*|\?/g, (wildcard) => {
    if (wildcard === '**/') return '(?:.*/)?';
    if (wildcard === '**') return '.*';
    return wildcard === '*' ? '[^/]*' : '[^/]';
  });
  return new RegExp(`^${source}$`);
}

/** The sources of every COPY and ADD from the build's context, not from another stage. */
export function copiedPaths(dockerfile: string): readonly string[] {
  return dockerfile
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([instruction, ...words]) =>
        /^(?:COPY|ADD)$/i.test(instruction ?? '') && !words.some((word) => word.startsWith('--from=')),
    )
    .flatMap(([, ...words]) => words.filter((word) => !word.startsWith('--')).slice(0, -1));
}
