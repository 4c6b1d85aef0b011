import { access, chmod, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first executable of one of these names in a search path such as the PATH variable, or undefined. */
export async function findProgram(names: readonly string[], searchPath: string): Promise<string | undefined> {
  for (const name of names) {
    for (const directory of searchPath.split(delimiter).filter((entry) => entry !== '')) {
      const candidate = join(directory, name);
      const found = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return candidate;
    }
  }
  return undefined;
}

/** Sets the run bits of a program that came without them, as archives and packages lose them. */
export async function makeExecutable(program: string): Promise<void> {
  const { mode } = await stat(program);
  if ((mode & 0o111) !== 0o111) await chmod(program, 0o755);
}
