import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { UnavailableError } from './errors.ts';
import { fail } from './internal-answers.ts';
import { internalRoutes, ofJson } from './internal-routes.ts';
import { closeServer, listen, portOf } from './internal-server.ts';
import { createLogger } from './logging/logger.ts';

type Name = { readonly name: string };
const isName = Object.assign((value: unknown): value is Name => typeof (value as Name | undefined)?.name === 'string', {
  errors: [{ instancePath: '/name', message: 'must be string' }],
});

const routes = internalRoutes(
  createLogger({ service: 'test', level: 'silent' }),
  {
    'GET /internal/things/:id': (request, response) => void response.json({ id: request.params.id }),
    'DELETE /internal/things/:id': (_request, response) => void response.status(204).end(),
    'POST /internal/things': ofJson('32b', isName, async ({ name }, response) => response.json({ name })),
    'GET /internal/away': () => {
      throw new UnavailableError('the chain is away');
    },
    'GET /internal/refused': () => {
      throw new RangeError('too far');
    },
  },
  (error, _request, response, next) =>
    error instanceof RangeError ? fail(response, 400, 'invalid request', error.message) : next(error),
);

let server: Server;
beforeAll(async () => {
  server = await listen(createServer(express().use(routes)), '127.0.0.1', 0);
});
afterAll(() => closeServer(server));

const answerTo = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`http://127.0.0.1:${portOf(server)}${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: response.status === 204 ? undefined : await response.json() };
};

describe('internal routes', () => {
  it('are answered by their method and path; any other is not found', async () => {
    expect(await answerTo('GET', '/internal/things/7')).toEqual({ status: 200, body: { id: '7' } });
    expect(await answerTo('DELETE', '/internal/things/7')).toMatchObject({ status: 204 });
    expect(await answerTo('PATCH', '/internal/things/7')).toEqual({ status: 404, body: { error: 'not found' } });
  });

  it('take a JSON body within its limit that is valid', async () => {
    expect(await answerTo('POST', '/internal/things', { name: 'a' })).toEqual({ status: 200, body: { name: 'a' } });
    expect(await answerTo('POST', '/internal/things', { name: 1 })).toEqual({
      status: 400,
      body: { error: 'invalid request', details: 'body/name must be string' },
    });
    expect(await answerTo('POST', '/internal/things', { name: 'a'.repeat(32) })).toMatchObject({ status: 413 });
  });

  it('answer faults in one shape, those of the service first', async () => {
    expect(await answerTo('GET', '/internal/away')).toEqual({
      status: 503,
      body: { error: 'not available now', details: 'the chain is away' },
    });
    expect(await answerTo('GET', '/internal/refused')).toEqual({
      status: 400,
      body: { error: 'invalid request', details: 'too far' },
    });
  });
});
