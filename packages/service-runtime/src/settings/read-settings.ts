import { ConfigurationError, type Environment, type Fault, readEnvironment } from '../config.ts';
import { keepSecret } from '../logging/known-secrets.ts';
import type { Setting } from './setting.ts';
import { unknownNames } from './unknown-names.ts';

export type Inspection<Value> = {
  /** If any, the value is unusable. */
  readonly faults: readonly Fault[];
  readonly value: Value;
  /** Each variable in use, with its value or default; without secrets (I10). */
  readonly shown: Readonly<Record<string, string>>;
};

/** Reads settings, and reports all faults at once. Afterwards their secrets are in no line of this process (I10). */
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
