import { authorities } from './pem-text.ts';
import { madeOf, optional } from './setting.ts';
import { mapped, text, url } from './variables.ts';

export type RegistryAccess = {
  readonly auth?: { readonly username: string; readonly password: string };
  readonly ca?: string;
};

const registry = madeOf(
  {
    given: url('SCHEMA_REGISTRY_URL', {
      meaning: "Base of the schema registry's API (Confluent's); may hold user and password",
      protocols: ['http:', 'https:'],
    }),
    username: optional(text('SCHEMA_REGISTRY_USERNAME', { meaning: 'User of the schema registry' })),
    password: optional(
      text('SCHEMA_REGISTRY_PASSWORD', { meaning: 'Password of the schema registry', secrecy: 'whole' }),
    ),
    ca: authorities('SCHEMA_REGISTRY_TLS_CA', 'The certificate authority that the schema registry is checked against'),
  },
  ({ given, username, password, ca }, fault) => {
    const address = new URL(given);
    const inUrl =
      address.username === ''
        ? undefined
        : { username: decodeURIComponent(address.username), password: decodeURIComponent(address.password) };
    if (username === undefined && password !== undefined)
      fault('SCHEMA_REGISTRY_USERNAME', 'is required with SCHEMA_REGISTRY_PASSWORD');
    if (username !== undefined && password === undefined)
      fault('SCHEMA_REGISTRY_PASSWORD', 'is required with SCHEMA_REGISTRY_USERNAME');
    if (username !== undefined && inUrl !== undefined)
      fault('SCHEMA_REGISTRY_USERNAME', 'is given, and SCHEMA_REGISTRY_URL names a user as well');
    const auth = inUrl ?? (username === undefined ? undefined : { username, password: password ?? '' });
    address.username = '';
    address.password = '';
    const access: RegistryAccess | undefined =
      auth === undefined && ca === undefined ? undefined : { ...(auth && { auth }), ...(ca && { ca }) };
    return { url: inUrl === undefined ? given : address.href, access };
  },
);

/** Without credentials; those are in the access. */
export const schemaRegistryUrl = mapped(registry, ({ url }) => url);
export const schemaRegistryAccess = mapped(registry, ({ access }) => access);
