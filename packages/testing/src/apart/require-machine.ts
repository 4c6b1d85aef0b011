import { findProgram, InfrastructureError, type ToolEnvironment } from '@indelible/launcher/servers';

/** Adds the folders of root's system programs, which are not on everyone's PATH. */
export function withSystemPrograms(tools: ToolEnvironment): ToolEnvironment {
  const path = `${tools.path}:/usr/local/sbin:/usr/sbin:/sbin`;
  return { ...tools, path, all: { ...tools.all, PATH: path } };
}

/**
 * Checks that this is Linux, that we are root, and that the programs are there.
 * @param programs by name: the package of Debian that has it
 * @throws InfrastructureError that names all that is missing, with the command that installs it
 */
export async function requireMachine(
  tools: ToolEnvironment,
  what: string,
  programs: Readonly<Record<string, string>>,
): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new InfrastructureError(
      `${what} needs root on Linux: it makes namespaces of its own`,
      'run it as root, in a virtual machine or a container with all privileges if you like',
    );
  const missing: string[] = [];
  for (const program of Object.keys(programs))
    if ((await findProgram([program], tools.path)) === undefined) missing.push(program);
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map((program) => programs[program]))].join(' ');
  throw new InfrastructureError(
    `${what} needs ${missing.join(', ')}`,
    `apt-get install --no-install-recommends ${packages}`,
  );
}
