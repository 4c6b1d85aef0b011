import type { IncomingMessage } from 'node:http';
import type { Hex } from '@indelible/identifiers';
import { listen } from '../children/listen.ts';
import type { Stranger } from '../load/ethers.ts';
import { createCeilingBatches } from './ceiling-batches.ts';

const formCid = /^data_cid=(0x[0-9a-f]{64})$/;

/**
 * What a stamp costs without storage and authentication: one process takes the CIDs of forms, batches them in memory,
 * and answers with the receipt once a block has the transaction.
 */
export async function serveCeiling(stranger: Stranger) {
  const batches = await createCeilingBatches(stranger);
  return listen((request, response) => {
    readBody(request, (form) => {
      const cid = formCid.exec(form)?.[1] as Hex | undefined;
      if (cid === undefined) return response.writeHead(400, { 'content-length': 0 }).end();
      const onReceipt = (receipt: object): void => {
        const body = JSON.stringify({ commitment_receipt: receipt });
        const contentType = 'application/json; charset=utf-8';
        response.writeHead(201, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }).end(body);
      };
      return batches.add({ cid, onReceipt });
    });
  });
}

function readBody(request: IncomingMessage, onBody: (body: string) => void): void {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (text: string) => {
    body += text;
  });
  request.once('end', () => onBody(body));
}
