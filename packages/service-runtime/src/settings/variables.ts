import type { Reader } from '../config.ts';
import { secretsIn, secretsInTextOrFile } from './secrets-in.ts';
import type { Secrecy, Setting } from './setting.ts';
import { shownText } from './shown-text.ts';

type About = { readonly meaning: string; readonly unit?: string; readonly secrecy?: Secrecy };

function variable<Value>(
  name: string,
  about: About & { readonly values: string; readonly default?: string | undefined },
  read: (reader: Reader) => Value,
): Setting<Value> {
  const { meaning, values, unit, secrecy = 'none', default: usual } = about;
  return {
    variables: [
      {
        name,
        meaning,
        values,
        ...(unit === undefined ? {} : { unit }),
        ...(usual === undefined ? {} : { default: usual }),
        required: usual === undefined,
        secrecy,
        when: [],
      },
    ],
    read(reader) {
      const text = reader.optionalText(name) ?? usual;
      if (text !== undefined) {
        reader.show(name, shownText(text, secrecy));
        reader.hide(secretsIn(text, secrecy));
      }
      return read(reader);
    },
  };
}

export function text(name: string, about: About & { readonly default?: string }): Setting<string> {
  return variable(name, { ...about, values: 'text' }, (reader) => reader.text(name, about.default));
}

export function integer(
  name: string,
  about: About & { readonly default?: number; readonly min: number; readonly max: number },
): Setting<number> {
  const { default: usual, ...others } = about;
  const values = about.max === Number.MAX_SAFE_INTEGER ? `from ${about.min}` : `${about.min} to ${about.max}`;
  return variable(name, { ...others, values, default: usual === undefined ? undefined : String(usual) }, (reader) =>
    reader.integer(name, about),
  );
}

export function url(
  name: string,
  about: About & { readonly default?: string; readonly protocols: readonly string[] },
): Setting<string> {
  const values = `URL of ${about.protocols.map((protocol) => protocol.replace(':', '')).join(' or ')}`;
  return variable(name, { secrecy: 'credentials', ...about, values }, (reader) =>
    reader.url(name, about.protocols, about.default),
  );
}

const web = ['http:', 'https:'];

/** The base of an HTTP interface, without a slash at its end. */
export const webUrl = (name: string, about: About & { readonly default?: string }): Setting<string> =>
  mapped(url(name, { ...about, protocols: web }), (base) => base.replace(/\/+$/, ''));

export function list(name: string, about: About & { readonly values?: string }): Setting<readonly string[]> {
  return variable(name, { values: 'comma-separated', ...about }, (reader) => reader.list(name));
}

/** A list whose text must match a pattern and is not shown, since it may hold secrets. */
export function listMatching(
  name: string,
  about: About & { readonly shape: RegExp; readonly values: string },
): Setting<readonly string[]> {
  return variable(name, about, (reader) => {
    reader.matching(name, about.shape, about.values);
    return reader.optionalText(name) === undefined ? [] : reader.list(name);
  });
}

export function choice<const Choice extends string>(
  name: string,
  about: About & { readonly choices: readonly Choice[]; readonly default?: NoInfer<Choice> },
): Setting<Choice> {
  return variable(name, { ...about, values: about.choices.join(', ') }, (reader) =>
    reader.choice(name, about.choices, about.default),
  );
}

export function matching(
  name: string,
  about: About & { readonly shape: RegExp; readonly values: string; readonly default?: string },
): Setting<string> {
  return variable(name, about, (reader) => reader.matching(name, about.shape, about.values, about.default));
}

export function flag(name: string, about: About & { readonly default: boolean }): Setting<boolean> {
  const { default: usual, ...others } = about;
  return variable(name, { ...others, values: 'true, false', default: String(usual) }, (reader) =>
    reader.flag(name, usual),
  );
}

/** Text, or the path of a file whose mode its reader checks: then the path is the value. */
export function textOrPath(name: string, about: About & { readonly values: string }): Setting<string> {
  const { variables } = variable(name, { ...about, secrecy: 'whole' }, () => undefined);
  return {
    variables,
    read(reader) {
      const given = reader.textOrPath(name);
      reader.show(name, shownText('', 'whole'));
      reader.hide(secretsInTextOrFile(given));
      return given;
    },
  };
}

/** A value made of another, if that has no fault. */
export const mapped = <Given, Value>(
  setting: Setting<Given>,
  make: (value: Given, fault: Reader['fault']) => Value,
): Setting<Value> => ({
  variables: setting.variables,
  read(reader) {
    const before = reader.noted();
    const value = setting.read(reader);
    return reader.noted() > before ? (undefined as Value) : make(value, reader.fault);
  },
});
