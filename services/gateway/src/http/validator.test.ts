import { createServer } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';
import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { loadDocument } from './document.ts';
import { createValidator } from './validator.ts';

describe('the validator', () => {
  it('takes the whole document: one schema that it cannot read fails every request', async () => {
    const app = express();
    app.use(createValidator(loadDocument()));
    app.get('/api/v1/users/me', (_request, response) => void response.json({}));
    const tell: ErrorRequestHandler = (error: Error, _request, response, _next) =>
      void response.status(500).json(error.message);
    app.use(tell);
    const server = await listen(createServer(app), '127.0.0.1', 0);
    const response = await fetch(`http://127.0.0.1:${portOf(server)}/api/v1/users/me`);
    expect([response.status, await response.json()]).toEqual([200, {}]);
    server.closeAllConnections();
    await closeServer(server, 0);
  }, 60_000);
});
