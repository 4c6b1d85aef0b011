import { ConfigurationError, type Environment, type Fault, readEnvironment } from '../config.ts';
import { keepSecret } from '../logging/known-secrets.ts';
import type { Setting } from './setting.ts';
import { unknownNames } from './unknown-names.ts';

export type Inspection<Value> = {
  /** What is wrong; the value is of no use then. */
  readonly faults: readonly Fault[];
  readonly value: Value;
  /** Each variable that counts, with its value or default; secrets are not in it (I10). */
  readonly shown: Readonly<Record<string, string>>;
};

/** Reads settings, and names every fault at once. From here on their secrets are in no line of this process (I10). */
export function inspectSettings<Value>(setting: Setting<Value>, environment: Environment): Inspection<Value> {
  const reader = readEnvironment(environment);
  const value = setting.read(reader);
  keepSecret(reader.hidden());
  const unknown = unknownNames(
    environment,
    setting.variables.map(({ name }) => name),
  );
  return { faults: [...reader.faults(), ...unknown], value, shown: Object.fromEntries(reader.shown()) };
}

/** @throws ConfigurationError that names every fault */
export function readSettings<Value>(setting: Setting<Value>, environment: Environment): Value {
  const { faults, value } = inspectSettings(setting, environment);
  if (faults.length > 0) throw new ConfigurationError(faults.map(({ name, text }) => `${name} ${text}`));
  return value;
}
