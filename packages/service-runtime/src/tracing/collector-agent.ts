import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

const closed = new Error('the connections to the collector are closed');

/** Connections to the collector. None after `close`, so that a retry cannot keep the process alive. */
export function createCollectorAgent(url: string): { readonly agent: HttpAgent; close(): void } {
  // No socket limit: Node loses some waiting requests when the sockets are closed.
  const options = { keepAlive: true };
  const agent = url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
  return {
    agent,
    close() {
      agent.createConnection = (_options, done) => {
        process.nextTick(() => done?.(closed, undefined as never));
        return undefined;
      };
      agent.destroy();
    },
  };
}
