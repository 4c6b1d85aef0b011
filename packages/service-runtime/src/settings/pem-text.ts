import { optional, type Setting } from './setting.ts';
import { mapped, text } from './variables.ts';

const pem = /^-----BEGIN [A-Z ]+-----[\s\S]+-----END [A-Z ]+-----\s*$/;

/** A PEM text, which is never shown. */
const pemText = (name: string, meaning: string): Setting<string> => {
  const setting = text(name, { meaning, secrecy: 'whole' });
  const variables = setting.variables.map((one) => ({ ...one, values: 'PEM' }));
  return mapped({ ...setting, variables }, (value, fault) => {
    if (!pem.test(value)) fault(name, 'must be PEM');
    return value;
  });
};

/** The authorities of a server's certificate, instead of those that Node knows. Not secret, but long. */
export function authorities(name: string, meaning: string): Setting<string | undefined> {
  const setting = optional(pemText(name, meaning), 'those that Node knows');
  return { ...setting, variables: setting.variables.map((one) => ({ ...one, secrecy: 'none' })) };
}

export const optionalPem = (name: string, meaning: string): Setting<string | undefined> =>
  optional(pemText(name, meaning));
