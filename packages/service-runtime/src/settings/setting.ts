import type { Reader } from '../config.ts';

/** How much of a value may be shown: all, nothing, a URL without user, password and query, or its host alone. */
export type Secrecy = 'none' | 'whole' | 'credentials' | 'path';

/** An environment variable, as documents describe it. Each may also be given as the file that `NAME_FILE` names. */
export type Variable = {
  readonly name: string;
  /** In one sentence, without a full stop. */
  readonly meaning: string;
  /** Which values it takes. */
  readonly values: string;
  readonly unit?: string;
  /** As an operator would write it, or in words; undefined when it has none. */
  readonly default?: string;
  readonly required: boolean;
  readonly secrecy: Secrecy;
  /** When it is read, such as `BLOB_STORE=gcs`; empty: always. */
  readonly when: readonly string[];
};

/** Variables, and how to make the value from them. The reader collects faults. */
export type Setting<Value> = {
  readonly variables: readonly Variable[];
  read(reader: Reader): Value;
};

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type ValueOf<Of> = Of extends Setting<infer Value> ? Value : never;

/** Values that may be undefined are optional. */
export type ValuesOf<Parts extends Settings> = {
  readonly [Key in keyof Parts as undefined extends ValueOf<Parts[Key]> ? never : Key]: ValueOf<Parts[Key]>;
} & {
  readonly [Key in keyof Parts as undefined extends ValueOf<Parts[Key]> ? Key : never]?: ValueOf<Parts[Key]>;
};

/** All of them; their values by the same names. */
export function allOf<const Parts extends Settings>(parts: Parts): Setting<ValuesOf<Parts>> {
  return {
    variables: mergeVariables(Object.values(parts)),
    read: (reader) =>
      Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, part.read(reader)])) as ValuesOf<Parts>,
  };
}

/** A value made of several. `make` runs only if none has a fault, and may note its own. */
export function madeOf<const Parts extends Settings, Value>(
  parts: Parts,
  make: (values: ValuesOf<Parts>, fault: Reader['fault']) => Value,
): Setting<Value> {
  const all = allOf(parts);
  return {
    variables: all.variables,
    read(reader) {
      const before = reader.noted();
      const values = all.read(reader);
      // an invalid setting ends the start: this value is never used
      return reader.noted() > before ? (undefined as Value) : make(values, reader.fault);
    },
  };
}

/** A choice decides what is read: the settings of other branches are ignored. */
export function dependingOn<Choice extends string, Branches extends Readonly<Record<Choice, Setting<unknown>>>>(
  choice: Setting<Choice>,
  branches: Branches,
): Setting<ValueOf<Branches[Choice]>> {
  const [chosen] = choice.variables;
  const conditional = Object.entries<Setting<unknown>>(branches).map(([name, branch]) => ({
    variables: branch.variables.map((one) => ({ ...one, when: [`${chosen?.name}=${name}`] })),
  }));
  return {
    variables: mergeVariables([choice, ...conditional]),
    read(reader) {
      const branch: Setting<unknown> | undefined = branches[choice.read(reader)];
      return branch?.read(reader) as ValueOf<Branches[Choice]>;
    },
  };
}

/** The setting if its variable is given. @param otherwise the effect without it, in words */
export function optional<Value>(setting: Setting<Value>, otherwise?: string): Setting<Value | undefined> {
  return {
    variables: setting.variables.map(({ default: _, ...one }) => ({
      ...one,
      required: false,
      ...(otherwise === undefined ? {} : { default: otherwise }),
    })),
    read(reader) {
      const given = setting.variables.some(({ name }) => reader.isGiven(name));
      return given ? setting.read(reader) : undefined;
    },
  };
}

/** Each variable once; one that several branches read, with all of their conditions. */
function mergeVariables(settings: readonly Pick<Setting<unknown>, 'variables'>[]): readonly Variable[] {
  const merged = new Map<string, Variable>();
  for (const variable of settings.flatMap(({ variables }) => variables)) {
    const known = merged.get(variable.name);
    const always = known?.when.length === 0 || variable.when.length === 0;
    const when = always ? [] : [...(known?.when ?? []), ...variable.when];
    merged.set(variable.name, { ...(known ?? variable), when });
  }
  return [...merged.values()];
}
