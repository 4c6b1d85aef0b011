import { contentOfFile, FileFault } from './settings/content-of-file.ts';

/** Every fault of a configuration, a line each, so that an operator can fix all at once. */
export class ConfigurationError extends Error {
  readonly retryable = false;
  override readonly name = 'ConfigurationError';
  constructor(faults: readonly string[]) {
    super(
      `the configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n  ${faults.join('\n  ')}`,
    );
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is wrong with a variable, without its value. */
export type Fault = { readonly name: string; readonly text: string };

export type Reader = ReturnType<typeof readEnvironment>;

/**
 * Reads settings from environment variables: each from `NAME`, or from the file that `NAME_FILE` names. Each reader notes a fault and
 * returns a placeholder, so that `finish` can report all faults together; it must be called before any value is used.
 */
export function readEnvironment(environment: Environment) {
  const faults = new Map<string, Fault>();
  const shown = new Map<string, string>();
  const secrets = new Set<string>();
  let noted = 0;
  const fault = (name: string, text: string): void => {
    noted += 1;
    // report an unusable file only once
    if (!unusable.has(name)) faults.set(`${name} ${text}`, { name, text });
  };
  const contents = new Map<string, string>();
  const unusable = new Set<string>();

  function contentOf(name: string, path: string): string {
    const known = contents.get(name);
    if (known !== undefined) return known;
    try {
      if (environment[name]) throw new FileFault(`and ${name} are both given`);
      const content = contentOfFile(path);
      contents.set(name, content);
      return content;
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      fault(`${name}_FILE`, error.message);
      unusable.add(name);
      return '';
    }
  }

  const given = (name: string): string | undefined => {
    const path = environment[`${name}_FILE`];
    return path ? contentOf(name, path) : environment[name] || undefined;
  };

  const text = (name: string, fallback?: string): string => {
    const value = given(name) ?? fallback;
    if (value === undefined) fault(name, 'is required');
    return value ?? '';
  };
  const integer = (name: string, options: { default?: number; min: number; max: number }): number => {
    const value = given(name);
    if (value === undefined && options.default !== undefined) return options.default;
    if (value === undefined) fault(name, 'is required');
    else if (!/^-?\d+$/.test(value) || Number(value) < options.min || Number(value) > options.max)
      fault(name, `must be an integer from ${options.min} to ${options.max}`);
    return Number(value);
  };
  return {
    text,
    integer,
    optionalText: given,
    /** Whether the variable is given, itself or as a file; the file is not read. */
    isGiven: (name: string): boolean => Boolean(environment[name] || environment[`${name}_FILE`]),
    /** The variable, or else the path in `NAME_FILE`, for a reader with its own rules for files. */
    textOrPath(name: string): string {
      const [value, path] = [environment[name] || undefined, environment[`${name}_FILE`] || undefined];
      if (value !== undefined && path !== undefined) fault(`${name}_FILE`, `and ${name} are both given`);
      if (value === undefined && path === undefined) fault(name, 'is required');
      return value ?? path ?? '';
    },
    /** Notes a fault that only the service can see. */
    fault,
    /** Faults noted so far, including repeats: shows whether a value just read is usable. */
    noted: (): number => noted,
    faults: (): readonly Fault[] => [...faults.values()],
    /** Notes a variable's effective value, in a form that may be shown (I10). */
    show: (name: string, text: string): void => void shown.set(name, text),
    shown: (): ReadonlyMap<string, string> => shown,
    /** Notes texts that must be shown nowhere (I10). */
    hide(texts: readonly string[]): void {
      for (const text of texts) secrets.add(text);
    },
    hidden: (): ReadonlySet<string> => secrets,
    url(name: string, protocols: readonly string[], fallback?: string): string {
      const value = text(name, fallback);
      if (value !== '' && !(URL.canParse(value) && protocols.includes(new URL(value).protocol)))
        fault(name, `must be a URL with ${protocols.join(' or ')}`);
      return value;
    },
    list(name: string, fallback?: string): string[] {
      const items = text(name, fallback)
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
      return items;
    },
    choice<Choice extends string>(name: string, choices: readonly Choice[], fallback?: Choice): Choice {
      const value = given(name) ?? fallback;
      if (value === undefined) fault(name, 'is required');
      else if (!choices.includes(value as Choice)) fault(name, `must be one of ${choices.join(', ')}`);
      return value as Choice;
    },
    matching(name: string, shape: RegExp, description: string, fallback?: string): string {
      const value = text(name, fallback);
      if (value !== '' && !shape.test(value)) fault(name, `must be ${description}`);
      return value;
    },
    flag(name: string, fallback: boolean): boolean {
      const value = given(name)?.toLowerCase();
      if (value === undefined) return fallback;
      if (!['true', 'false', '1', '0'].includes(value)) fault(name, 'must be true or false');
      return value === 'true' || value === '1';
    },
    /** @throws ConfigurationError when any reader noted a fault */
    finish(): void {
      if (faults.size > 0) throw new ConfigurationError([...faults.keys()]);
    },
  };
}
