import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FullBlocks, fullBlock } from './full-blocks.ts';

/**
 * A node in a process of its own whose answers are made beforehand, since it is not what is measured. It is told of its
 * blocks by its first message and tells its URL when it can be asked.
 */
process.once('message', (blocks: FullBlocks) => {
  const headers = new Map<string, string>();
  const receipts = new Map<string, Buffer>();
  for (let number = 0; number <= blocks.count; number++) {
    const block = fullBlock(blocks, number);
    headers.set(`0x${number.toString(16)}`, JSON.stringify(block.header));
    receipts.set(block.header.hash, Buffer.from(JSON.stringify(block.receipts)));
  }
  const head = `0x${blocks.count.toString(16)}`;
  const answer = ({ method, params }: Call): Buffer | string => {
    switch (method) {
      case 'eth_chainId':
        return `"0x${blocks.chainId.toString(16)}"`;
      case 'eth_blockNumber':
        return `"${head}"`;
      case 'eth_getBlockByNumber':
        return headers.get(tags.has(params[0]) ? head : String(params[0])) ?? 'null';
      case 'eth_getBlockReceipts':
        return receipts.get(String(params[0])) ?? 'null';
      default:
        return 'null';
    }
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Call | Call[];
    const write = (call: Call): void => {
      response.write(`{"jsonrpc":"2.0","id":${call.id},"result":`);
      response.write(answer(call));
      response.write('}');
    };
    if (!Array.isArray(body)) write(body);
    else
      for (const [place, call] of body.entries()) {
        response.write(place === 0 ? '[' : ',');
        write(call);
      }
    response.end(Array.isArray(body) ? ']' : '');
  });
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
});
process.once('disconnect', () => process.exit());

/** All of the chain is final. */
const tags: ReadonlySet<unknown> = new Set(['latest', 'safe', 'finalized']);

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };
