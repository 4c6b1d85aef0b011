import { authorities, optionalPem } from './pem-text.ts';
import { madeOf, optional } from './setting.ts';
import { choice, flag, text, webUrl } from './variables.ts';

/** How to verify a TLS server, and this client's certificate; PEM. Without `ca`, the authorities that Node knows. */
export type TlsSettings = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** Where OAuth tokens come from: client credentials (RFC 6749, 4.4), or a file that something else keeps current. */
export type TokenSource =
  | {
      readonly kind: 'endpoint';
      readonly url: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
    }
  | { readonly kind: 'file'; readonly path: string };

export type KafkaSasl =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | { readonly mechanism: 'oauthbearer'; readonly token: TokenSource };

export type KafkaSecurity = { readonly tls?: TlsSettings; readonly sasl?: KafkaSasl };

const tls = madeOf(
  {
    enabled: flag('KAFKA_TLS', { meaning: 'Whether the brokers are reached by TLS', default: false }),
    ca: authorities('KAFKA_TLS_CA', 'The certificate authority that the brokers are checked against'),
    cert: optionalPem('KAFKA_TLS_CERTIFICATE', 'The certificate of this client (mTLS)'),
    key: optionalPem('KAFKA_TLS_KEY', 'The key of KAFKA_TLS_CERTIFICATE'),
  },
  ({ enabled, ca, cert, key }, fault): TlsSettings | undefined => {
    if (!enabled)
      for (const [name, value] of Object.entries({ KAFKA_TLS_CA: ca, KAFKA_TLS_CERTIFICATE: cert, KAFKA_TLS_KEY: key }))
        if (value !== undefined) fault(name, 'is given, but KAFKA_TLS is not true');
    if (cert === undefined && key !== undefined) fault('KAFKA_TLS_CERTIFICATE', 'is required with KAFKA_TLS_KEY');
    if (cert !== undefined && key === undefined) fault('KAFKA_TLS_KEY', 'is required with KAFKA_TLS_CERTIFICATE');
    if (!enabled) return undefined;
    return { ...(ca && { ca }), ...(cert && key && { cert, key }) };
  },
);

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'] as const;

const sasl = madeOf(
  {
    mechanism: optional(
      choice('KAFKA_SASL_MECHANISM', { meaning: 'How this client authenticates to the brokers', choices: mechanisms }),
      'none',
    ),
    username: optional(text('KAFKA_SASL_USERNAME', { meaning: 'User of plain and SCRAM' })),
    password: optional(text('KAFKA_SASL_PASSWORD', { meaning: 'Password of plain and SCRAM', secrecy: 'whole' })),
    url: optional(
      webUrl('KAFKA_OAUTH_TOKEN_URL', {
        meaning:
          'The token endpoint for oauthbearer; a token is requested by client credentials before the last one expires',
      }),
    ),
    clientId: optional(text('KAFKA_OAUTH_CLIENT_ID', { meaning: 'Client id for the token endpoint' })),
    clientSecret: optional(
      text('KAFKA_OAUTH_CLIENT_SECRET', { meaning: 'Client secret for the token endpoint', secrecy: 'whole' }),
    ),
    scope: optional(text('KAFKA_OAUTH_SCOPE', { meaning: 'Scope to request from the token endpoint' })),
    tokenFile: optional(
      text('KAFKA_OAUTH_TOKEN_FILE', {
        meaning: 'Instead of a token endpoint: path of a file with the token, read again for each connection',
      }),
    ),
  },
  (values, fault): KafkaSasl | undefined => {
    const { mechanism, username, password, url, clientId, clientSecret, scope, tokenFile } = values;
    const need = (name: string, value: string | undefined): string => {
      if (value === undefined) fault(name, `is required with KAFKA_SASL_MECHANISM=${mechanism}`);
      return value ?? '';
    };
    if (mechanism === undefined) {
      const unused = { KAFKA_SASL_USERNAME: username, KAFKA_OAUTH_TOKEN_URL: url, KAFKA_OAUTH_TOKEN_FILE: tokenFile };
      for (const [name, value] of Object.entries(unused))
        if (value !== undefined) fault(name, 'is given, but KAFKA_SASL_MECHANISM is not');
      return undefined;
    }
    if (mechanism !== 'oauthbearer') {
      const credentials = [need('KAFKA_SASL_USERNAME', username), need('KAFKA_SASL_PASSWORD', password)] as const;
      return { mechanism, username: credentials[0], password: credentials[1] };
    }
    if (tokenFile !== undefined && url !== undefined)
      fault('KAFKA_OAUTH_TOKEN_FILE', 'and KAFKA_OAUTH_TOKEN_URL are both given');
    if (tokenFile !== undefined) return { mechanism, token: { kind: 'file', path: tokenFile } };
    const endpoint = {
      url: need('KAFKA_OAUTH_TOKEN_URL', url),
      clientId: need('KAFKA_OAUTH_CLIENT_ID', clientId),
      clientSecret: need('KAFKA_OAUTH_CLIENT_SECRET', clientSecret),
    };
    return { mechanism, token: { kind: 'endpoint', ...endpoint, ...(scope !== undefined && { scope }) } };
  },
);

/** Undefined for brokers without TLS and authentication. */
export const kafkaSecurity = madeOf({ tls, sasl }, ({ tls, sasl }): KafkaSecurity | undefined =>
  tls === undefined && sasl === undefined ? undefined : { ...(tls && { tls }), ...(sasl && { sasl }) },
);
