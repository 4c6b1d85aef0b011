/** Every fault of a configuration at once, a line each, so that an operator mends them in one go. */
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

/**
 * Reads settings from environment variables. Each reader notes a fault and answers a placeholder, so that `finish`
 * can report all faults together; it must be called before any value is used.
 */
export function readEnvironment(environment: Environment) {
  const faults: string[] = [];
  const fault = (name: string, text: string) => void faults.push(`${name} ${text}`);
  const given = (name: string): string | undefined => environment[name] || undefined;

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
    /** Notes a fault that only the service can see. */
    fault,
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
      if (faults.length > 0) throw new ConfigurationError(faults);
    },
  };
}
