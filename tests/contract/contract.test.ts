import { afterAll, beforeAll, expect, jest } from '@jest/globals';
import { access } from './suites/access.ts';
import { badForms } from './suites/bad-forms.ts';
import { badJson } from './suites/bad-json.ts';
import { badOperations } from './suites/bad-operations.ts';
import { badRequests } from './suites/bad-requests.ts';
import { collections } from './suites/collections.ts';
import { idempotency } from './suites/idempotency.ts';
import { noHalfEffect } from './suites/no-half-effect.ts';
import { receipts } from './suites/receipts.ts';
import { wholeWays } from './suites/whole-ways.ts';
import { type Api, createApi } from './support/api.ts';
import { type ContractStack, startContractStack } from './support/contract-stack.ts';

// The contract on the running services: one stack for all suites, since each takes its time to start. The order
// matters where a suite says so: what bad input leaves behind can only be seen before anything good is stamped.
jest.setTimeout(60_000);

let running: ContractStack;
let ada: Api;
let eve: Api;
/** Its key ends a while after the start. */
let expiring: Api;
let before: number;
beforeAll(async () => {
  running = await startContractStack();
  ada = createApi(running);
  const opened = await running.indelible<{ apiKey: string }>(
    ...['accounts', 'create', '--name', 'Eve', '--email', 'eve@example.com'],
  );
  eve = createApi(running, opened.apiKey);
  const { apiKey } = await running.indelible<{ apiKey: string }>(
    ...['keys', 'create', '--account', running.connection.userAddress, '--name', 'ends soon'],
    ...['--expires', new Date(Date.now() + 60_000).toISOString()],
  );
  expiring = createApi(running, apiKey);
  expect((await expiring.get('/users/me')).status).toBe(200);
  before = await running.commitments();
}, 120_000);
afterAll(() => running?.stop(), 60_000);

const stack = (): ContractStack => running;
const first = (): Api => ada;

badForms(first);
badJson(first);
badRequests(stack, first);
badOperations(first);
noHalfEffect(stack, first, () => before);
access(stack, first, () => expiring);
receipts(stack, first);
idempotency(stack, first, () => eve);
collections(stack, first, () => eve);
wholeWays(stack, first, () => eve);
