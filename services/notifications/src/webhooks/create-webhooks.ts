import type { Database } from '@indelible/postgres';
import type { EventOrigin } from '@indelible/public-events';
import { connection, type Logger, type Tracing } from '@indelible/service-runtime';
import type { Config } from '../config.ts';
import type { Telemetry } from '../telemetry.ts';
import { createSealer } from '../webhook-requests/sealer.ts';
import { createWebhookClient } from '../webhook-requests/webhook-client.ts';
import type { DispatchPorts } from './dispatch.ts';
import { createWebhookDispatcher } from './dispatcher.ts';
import { createWebhookTest } from './test-webhook.ts';

/** The parts that manage webhooks and deliver to them, with the connections they need. */
export function createWebhooks(
  config: Config,
  parts: {
    readonly database: Database;
    readonly readLog: DispatchPorts['readLog'];
    readonly origin: EventOrigin;
    readonly telemetry: Pick<Telemetry, 'attempted' | 'webhookDisabled'>;
    readonly tracing: Tracing;
    readonly logger: Logger;
  },
) {
  const { database, readLog, origin, telemetry, tracing, logger } = parts;
  const { webhookAllowLoopbackHttp: allowLoopbackHttp, webhookDeniedNetworks: deniedNetworks } = config;
  const sealer = createSealer(config.webhookSealingKeys);
  const client = createWebhookClient({ allowLoopbackHttp, deniedNetworks });
  const sending = { database, client, sealer, origin, tracing, now: Date.now };
  return {
    sealer,
    /** For the routes that manage webhooks. */
    api: {
      ...sending,
      ...{ allowLoopbackHttp, deniedNetworks },
      mostWebhooks: config.accountWebhooks,
      test: createWebhookTest(sending),
    },
    client: connection('webhook client', { close: () => client.close() }),
    dispatcher: createWebhookDispatcher({
      ...sending,
      ...{ readLog, logger },
      url: database.url,
      schema: database.schema,
      onDelivery: telemetry.attempted,
      onDisabled: telemetry.webhookDisabled,
    }),
  };
}
