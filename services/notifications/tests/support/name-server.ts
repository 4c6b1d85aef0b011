import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const typeA = 1;
const typeAAAA = 28;

/**
 * A name server on loopback. `answer` returns the addresses for each A and AAAA query; `undefined` sends no response.
 */
export async function nameServer(answer: (name: string, family: 4 | 6) => readonly string[] | undefined) {
  const socket = createSocket('udp4');
  let queries = 0;
  socket.on('message', (query, { address, port }) => {
    const { name, type, end } = readQuestion(query);
    queries += 1;
    const addresses = type === typeA || type === typeAAAA ? answer(name, type === typeA ? 4 : 6) : [];
    if (addresses === undefined) return;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2); // a response, recursive, no error
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((given) => {
      const bytes = Buffer.from(ipaddr.parse(given).toByteArray());
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0); // the name of the question
      record.writeUInt16BE(isIPv6(given) ? typeAAAA : typeA, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(bytes.length, 10); // of no lifetime: nobody may keep it
      return Buffer.concat([record, bytes]);
    });
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries: () => queries,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
