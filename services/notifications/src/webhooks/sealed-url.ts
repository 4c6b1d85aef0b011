import type { Webhook } from '../tables/webhook-row.ts';
import type { Sealer } from '../webhook-requests/sealer.ts';

type Sealed = Pick<Webhook, 'webhookId' | 'url'>;

/** Differs from the context of the secrets, so that none opens as the other. */
const contextOf = (webhookId: string): string => `${webhookId} url`;

/** Path and query of a URL may hold the receiver's tokens: the whole URL is sealed. */
export const sealUrl = (sealer: Pick<Sealer, 'seal'>, webhookId: string, url: string): Buffer =>
  sealer.seal(url, contextOf(webhookId));

/** @throws Error that names neither URL nor key, like the sealer */
export const urlOf = ({ webhookId, url }: Sealed, sealer: Pick<Sealer, 'open'>): string =>
  typeof url === 'string' ? url : sealer.open(url, contextOf(webhookId));
