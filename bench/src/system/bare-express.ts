import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';

/** What accepting is compared with: a server that reads the form of a stamp and answers at once, and does nothing else. */
process.once('message', () => {
  const app = express();
  app.post('/api/v1/stamps', express.urlencoded({ extended: false }), (request, response) => {
    if (typeof request.body.data_cid !== 'string') {
      response.status(400).json({ error: 'data_cid is missing' });
      return;
    }
    const id = randomUUID();
    response.status(202).location(`/api/v1/stamps/${id}`).json({ id, status: 'accepted' });
  });
  const server = app.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
process.once('disconnect', () => process.exit());
