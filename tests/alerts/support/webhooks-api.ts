import { expect } from '@jest/globals';
import type { RunningStack } from '../../e2e/support/running-stack.ts';

type Delivery = { readonly id: string; readonly status: string };

/** `/api/v1/webhooks/…` as the owner of webhooks uses it; what is not answered 2xx fails the test. */
export function webhooksOf({ connection: { rootUrl, apiKey } }: RunningStack) {
  return async (
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: object,
  ): Promise<{ readonly deliveries: readonly Delivery[] }> => {
    const response = await fetch(`${rootUrl}/api/v1/webhooks/${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    expect([method, path, response.ok]).toEqual([method, path, true]);
    return (await response.json()) as { readonly deliveries: readonly Delivery[] };
  };
}
