import type { KafkaSasl, KafkaSecurity } from '@indelible/service-runtime';
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { createTokenSource } from './token-source.ts';

/** Brokers' TLS and this client's authentication, as kafkajs takes them. One token source for all connections of a process. */
export const securityOf = ({ tls, sasl }: KafkaSecurity): Pick<KafkaConfig, 'ssl' | 'sasl'> => ({
  ...(tls && { ssl: { ...tls } }),
  ...(sasl && { sasl: saslOf(sasl) }),
});

function saslOf(sasl: KafkaSasl): SASLOptions {
  if (sasl.mechanism !== 'oauthbearer') return { ...sasl } as SASLOptions;
  const token = createTokenSource(sasl.token);
  return { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: await token() }) };
}
