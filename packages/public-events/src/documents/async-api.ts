import type { EventOrigin } from '../cloud-event.ts';
import { publicSchemas } from '../json-schemas.ts';
import type { PublicEventType } from '../public-event.ts';
import { publicTopicDefaults, publicTopicOf } from '../topic.ts';
import { describedEventTypes, isLogged, publicEventTypes } from '../types.ts';
import { type ChannelTexts, promise, streamTextsOf, topicTexts, webhookTextsOf } from './channel-texts.ts';
import {
  binaryMessageOf,
  binaryNameOf,
  envelopeSchema,
  kafkaTrait,
  reference,
  structuredMessageOf,
  structuredNameOf,
} from './messages.ts';

/** As an installation that is configured by defaults. */
export const defaultOrigin: EventOrigin = { source: 'indelible', publicUrl: 'http://127.0.0.1:8080' };

/** The AsyncAPI 3.0 document of all public events and of the three ways to receive them. */
export function createAsyncApi(origin: EventOrigin) {
  const api = new URL(origin.publicUrl);
  const streamTexts = streamTextsOf(origin.publicUrl);
  const webhookTexts = webhookTextsOf(origin.publicUrl);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Indelible events',
      version: '1.0.0',
      description: promise.join('\n\n'),
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      externalDocs: { description: 'The REST API', url: `${origin.publicUrl}/swagger/` },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: '{bootstrap_servers}',
        protocol: 'kafka',
        description: 'The brokers of the installation, which its operator names',
        variables: {
          bootstrap_servers: { default: '127.0.0.1:9092', description: 'Comma-separated, with their ports' },
        },
      },
      api: {
        host: '{host}',
        protocol: api.protocol.replace(':', ''),
        ...(api.pathname === '/' ? {} : { pathname: api.pathname }),
        description: 'The REST API',
        variables: { host: { default: api.host, description: 'Where the gateway is reached' } },
        security: [reference('securitySchemes', 'apiKey')],
      },
      receiver: {
        host: '{receiver}',
        protocol: 'https',
        description: 'A receiver of webhooks, which the subscriber runs',
        variables: { receiver: { default: 'you.example.com', description: 'The host of the URL that is registered' } },
      },
    },
    channels: {
      topic: {
        address: publicTopicOf(publicTopicDefaults.prefix),
        ...topicTexts,
        servers: [{ $ref: '#/servers/kafka' }],
        messages: messagesOf(publicEventTypes, binaryNameOf),
        bindings: { kafka: topicBinding },
      },
      stream: {
        address: '/api/v1/events',
        ...streamTexts,
        servers: [{ $ref: '#/servers/api' }],
        messages: messagesOf(publicEventTypes, structuredNameOf),
      },
      webhook: {
        address: null,
        ...webhookTexts,
        servers: [{ $ref: '#/servers/receiver' }],
        messages: messagesOf(describedEventTypes, structuredNameOf),
      },
    },
    operations: {
      publishToTopic: sendTo('topic', topicTexts, { kafka: { bindingVersion: '0.5.0' } }),
      streamEvents: sendTo('stream', streamTexts, {
        http: { method: 'GET', query: streamQuery, bindingVersion: '0.3.0' },
      }),
      sendWebhook: sendTo('webhook', webhookTexts, { http: { method: 'POST', bindingVersion: '0.3.0' } }),
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the account, with the scope `read`' },
      },
      messageTraits: { cloudEventInBinaryMode: kafkaTrait },
      messages: Object.fromEntries(
        describedEventTypes.flatMap((type): [string, object][] => {
          const structured: [string, object] = [structuredNameOf(type), structuredMessageOf(type, origin)];
          return isLogged(type) ? [[binaryNameOf(type), binaryMessageOf(type, origin)], structured] : [structured];
        }),
      ),
      schemas: {
        cloudEvent: envelopeSchema,
        ...Object.fromEntries(describedEventTypes.map((type) => [binaryNameOf(type), payloadOf(type)])),
      },
    },
  };
}
export type AsyncApiDocument = ReturnType<typeof createAsyncApi>;

const topicBinding = {
  partitions: publicTopicDefaults.partitions,
  topicConfiguration: {
    'cleanup.policy': publicTopicDefaults.cleanupPolicy.split(','),
    'retention.ms': publicTopicDefaults.retentionMs,
  },
  bindingVersion: '0.5.0',
};

const streamQuery = {
  type: 'object',
  properties: {
    types: { type: 'string', description: 'Comma-separated: `stamp.confirmed,stamp.reverted`' },
    collections: { type: 'string', description: 'Comma-separated collection CIDs' },
    since: { type: 'string', format: 'date-time', description: 'Events from this time on' },
    after: { type: 'string', description: 'Events behind this `id`, or `next` of a page' },
    wait: { type: 'integer', description: 'Seconds: a page of JSON in place of a stream' },
    limit: { type: 'integer', description: 'Of events in a page' },
  },
};

const messagesOf = (types: readonly PublicEventType[], nameOf: (type: PublicEventType) => string) =>
  Object.fromEntries(types.map((type) => [nameOf(type), reference('messages', nameOf(type))]));

const sendTo = (channel: string, { title, summary }: ChannelTexts, bindings: object) => ({
  action: 'send',
  channel: { $ref: `#/channels/${channel}` },
  title,
  summary,
  bindings,
});

/** Without `$id`, which only a separate document may have: it would rebase references. */
function payloadOf({ name, version }: PublicEventType): object {
  const found = publicSchemas.find(({ fileName }) => fileName === `${name}.v${version}.json`);
  const { $schema: _draft, $id: _id, ...schema } = found?.schema ?? {};
  return schema;
}
