import { type Hex, parseAddress } from '@indelible/identifiers';
import { fail, type RouteHandler, type Routes } from '@indelible/service-runtime';
import express, { type Request, type Response } from 'express';
import type { DeliveryStatus } from '../decisions/deliveries.ts';
import { listDeliveries } from '../tables/delivery-list.ts';
import { findRedeliveries, type Redelivery } from '../tables/redeliveries.ts';
import type { Webhook } from '../tables/webhook-row.ts';
import { deleteWebhook, findWebhook, listWebhooks } from '../tables/webhooks.ts';
import type { UrlOptions } from '../webhook-requests/webhook-url.ts';
import {
  changeWebhook,
  createWebhook,
  mostFormerSecrets,
  rotateSecret,
  type WebhookPorts,
} from '../webhooks/manage.ts';
import { redeliverOne, redeliverSince } from '../webhooks/redeliver.ts';
import { urlOf } from '../webhooks/sealed-url.ts';
import type { createWebhookTest } from '../webhooks/test-webhook.ts';
import { attemptBody, deliveryBody, redeliveryBody, webhookBody } from './webhook-bodies.ts';
import { readChange, readCreation, readRedelivery } from './webhook-requests.ts';

export type WebhookApi = WebhookPorts &
  UrlOptions & {
    readonly test: ReturnType<typeof createWebhookTest>;
  };

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const statuses = ['waiting', 'delivered', 'failed'];
const mostDeliveries = 100;

/** Webhooks of the account in the query; paths and bodies as in the REST API below `/api/v1`. */
export function webhookRoutes(api: WebhookApi): Routes {
  const { database } = api;
  const bodyOf = (webhook: Webhook, redelivery: Redelivery | undefined, secret?: string) =>
    webhookBody(webhook, urlOf(webhook, api.sealer), redelivery, secret);
  const redeliveryOf = async (id: string) => (await findRedeliveries(database, [id])).get(id);

  return {
    'POST /internal/webhooks': ofAccount(async ({ account }, { body }, response) => {
      const settings = readCreation(body, api);
      if ('fault' in settings) return fail(response, 400, settings.fault);
      const created = await createWebhook(api, account, settings);
      if (created === undefined)
        return fail(response, 409, 'too many webhooks', `an account has ${api.mostWebhooks} at most: delete one first`);
      response.status(201).json(bodyOf(created.webhook, undefined, created.secret));
    }),
    'GET /internal/webhooks': ofAccount(async ({ account }, _request, response) => {
      const webhooks = await listWebhooks(database, account);
      const redeliveries = await findRedeliveries(
        database,
        webhooks.map(({ webhookId }) => webhookId),
      );
      response.json(webhooks.map((webhook) => bodyOf(webhook, redeliveries.get(webhook.webhookId))));
    }),
    'GET /internal/webhooks/:id': ofAccount(async ({ account, id }, _request, response) => {
      const webhook = await findWebhook(database, account, id);
      if (webhook === undefined) return notFound(response);
      response.json(bodyOf(webhook, await redeliveryOf(id)));
    }),
    'PATCH /internal/webhooks/:id': ofAccount(async ({ account, id }, { body }, response) => {
      const change = readChange(body, api);
      if ('fault' in change) return fail(response, 400, change.fault);
      const webhook = await changeWebhook(api, account, id, change);
      if (webhook === undefined) return notFound(response);
      response.json(bodyOf(webhook, await redeliveryOf(id)));
    }),
    'DELETE /internal/webhooks/:id': ofAccount(async ({ account, id }, _request, response) => {
      const isDeleted = await database.transaction((client) => deleteWebhook(client, account, id));
      if (!isDeleted) return notFound(response);
      response.status(204).end();
    }),
    'POST /internal/webhooks/:id/rotate-secret': ofAccount(async ({ account, id }, _request, response) => {
      const rotated = await rotateSecret(api, account, id);
      if (rotated === undefined) return notFound(response);
      if ('possibleAt' in rotated)
        return fail(
          response,
          409,
          'too many secrets',
          `${mostFormerSecrets} former secrets still sign: a new one can be made from ${rotated.possibleAt.toISOString()} on`,
        );
      response.json(bodyOf(rotated.webhook, await redeliveryOf(id), rotated.secret));
    }),
    'POST /internal/webhooks/:id/test': ofAccount(async ({ account, id }, _request, response) => {
      const webhook = await findWebhook(database, account, id);
      if (webhook === undefined) return notFound(response);
      const left = new AbortController();
      response.on('close', () => left.abort());
      const { event, attempt } = await api.test(webhook, left.signal).catch((error: unknown) => {
        if (left.signal.aborted) return { event: undefined, attempt: undefined };
        throw error;
      });
      if (event === undefined) return;
      const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
      response.json({ event, delivered: isDelivered, attempt: attemptBody(attempt) });
    }),
    'GET /internal/webhooks/:id/deliveries': ofAccount(async ({ account, id }, { query }, response) => {
      const status = query.status === undefined ? null : String(query.status);
      if (status !== null && !statuses.includes(status)) return fail(response, 400, `status: ${statuses.join(', ')}`);
      const limit = query.limit === undefined ? mostDeliveries : Number(query.limit);
      if (!(Number.isInteger(limit) && limit > 0 && limit <= mostDeliveries))
        return fail(response, 400, `limit: from 1 to ${mostDeliveries}`);
      const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(query.cursor);
      if (!Number.isSafeInteger(before) || before < 0) return fail(response, 400, 'cursor: that of a page before');
      if ((await findWebhook(database, account, id)) === undefined) return notFound(response);
      const found = await listDeliveries(database, id, {
        before,
        status: status as DeliveryStatus | null,
        limit: limit + 1,
      });
      const page = found.slice(0, limit);
      const next = found.length > limit ? String(page.at(-1)?.position) : null;
      response.json({ deliveries: page.map(deliveryBody), next_cursor: next });
    }),
    'POST /internal/webhooks/:id/deliveries/:delivery/redeliver': ofAccount(
      async ({ account, id, delivery }, _request, response) => {
        const requested = await redeliverOne(api, account, id, delivery);
        if (requested === undefined) return fail(response, 404, 'delivery not found');
        response.status(202).json(deliveryBody(requested));
      },
    ),
    'POST /internal/webhooks/:id/redeliver': ofAccount(async ({ account, id }, { body }, response) => {
      const request = readRedelivery(body);
      if ('fault' in request) return fail(response, 400, request.fault);
      const redelivery = await redeliverSince(api, account, id, request);
      if (redelivery === undefined) return notFound(response);
      if (redelivery === 'busy')
        return fail(
          response,
          409,
          'a redelivery is under way',
          'GET the webhook: it has no redelivery any more when it is done',
        );
      response.status(202).json(redeliveryBody(redelivery));
    }),
  };
}

const readBody = express.json({ limit: '256kb' });

/**
 * A route for an account and, if its path names them, a webhook and a delivery: all are well-formed when it is called.
 */
const ofAccount = (handle: Handle): RouteHandler => [
  readBody,
  async (request, response) => {
    const account = parseAddress(String(request.query.account ?? ''));
    if (account === undefined) return fail(response, 400, 'account: must be an address');
    const ids = [request.params.id, request.params.delivery].filter((id) => id !== undefined).map(String);
    if (!ids.every((id) => uuid.test(id))) return fail(response, 404, 'webhook not found');
    await handle({ account, id: ids[0] ?? '', delivery: ids[1] ?? '' }, request, response);
  },
];

type Handle = (
  of: { readonly account: Hex; readonly id: string; readonly delivery: string },
  request: Request,
  response: Response,
) => Promise<unknown>;

const notFound = (response: Response): void => fail(response, 404, 'webhook not found');
