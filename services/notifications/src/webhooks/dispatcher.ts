import type { Hex } from '@indelible/identifiers';
import { createLeadership } from '@indelible/postgres';
import type { Component } from '@indelible/service-runtime';
import { logChannel } from '../tables/log.ts';
import { webhooksChannel } from '../tables/webhooks.ts';
import { createDispatch, type DispatchPorts } from './dispatch.ts';
import type { Lane } from './lane.ts';

/** Delivers the log to webhooks. One replica leads, and does all of it; another leads within 15 s after it has died. */
export function createWebhookDispatcher(
  options: DispatchPorts & { readonly url: string; readonly schema: string },
): Component & { leading(): boolean; lanes(): Iterable<Lane> } {
  let current: ReturnType<typeof createDispatch> | undefined;
  const leadership = createLeadership({
    url: options.url,
    name: `${options.schema}.webhooks`,
    logger: options.logger,
    async lead(session, signal) {
      const dispatch = createDispatch(options);
      session.on('notification', ({ channel, payload = '' }) => {
        if (channel === webhooksChannel) dispatch.hearChanged(payload);
        else dispatch.hearGrown(payload === '' ? undefined : (payload.split(' ') as Hex[]));
      });
      await session.query(`listen "${logChannel}"; listen "${webhooksChannel}"`);
      current = dispatch;
      try {
        await dispatch.run(signal);
      } finally {
        current = undefined;
      }
    },
  });
  return { ...leadership, name: 'webhooks', lanes: () => current?.lanes() ?? [] };
}
