import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from '@indelible/identifiers';
import type { CeilingSettings } from './ceiling.ts';
import { createCeilingBatches } from './ceiling-batches.ts';

/**
 * What a stamp costs when nothing is kept and nobody is asked who they are: one process takes the CIDs of forms, batches
 * them in memory, and answers with the receipt once a block has the transaction. It is told of the chain by its first
 * message, tells its URL when it can be asked, and ends with whoever started it.
 */
process.once('message', async (settings: CeilingSettings) => {
  const batches = await createCeilingBatches(settings);
  // Callers of an open loop may rest for long.
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    readBody(request, (body) => {
      const cid = formCid.exec(body)?.[1];
      if (cid === undefined) response.writeHead(400, { 'content-length': 0 }).end();
      else batches.add({ cid: cid as Hex, onReceipt: (receipt) => answer(response, receipt) });
    });
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
process.once('disconnect', () => process.exit());

const formCid = /^data_cid=(0x[0-9a-f]{64})$/;

function readBody(request: IncomingMessage, onBody: (body: string) => void): void {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (text: string) => {
    body += text;
  });
  request.once('end', () => onBody(body));
}

function answer(response: ServerResponse, receipt: object): void {
  const body = JSON.stringify({ commitment_receipt: receipt });
  const contentType = 'application/json; charset=utf-8';
  response.writeHead(201, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
