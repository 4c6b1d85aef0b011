import { createServer } from 'node:http';
import { closeServer, listen, portOf } from '@indelible/service-runtime';

/** A receiver of webhooks that answers with the status it is set to. */
export async function startMoodyReceiver(status: number) {
  let answer = status;
  const server = await listen(
    createServer((request, response) => {
      request.resume().once('end', () => response.writeHead(answer).end());
    }),
    '127.0.0.1',
    0,
  );
  return {
    url: `http://127.0.0.1:${portOf(server)}/hook`,
    answerWith(status: number): void {
      answer = status;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await closeServer(server, 0);
    },
  };
}
