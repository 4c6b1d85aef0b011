import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ConfirmationOfStamp, FoundStamp, Receipt, StampOfReceipt } from '@indelible/messages';
import type { Stamping } from '../../src/neighbours/stamping.ts';

type Place = Pick<Receipt, 'transactionHash' | 'logIndex'>;
const keyOf = ({ transactionHash, logIndex }: Place): string => `${transactionHash}:${logIndex}`;

export const stampOf = (stampId: string, change: Partial<StampOfReceipt> = {}): StampOfReceipt => ({
  ...{ stampId, isRecorded: true, collectionName: 'Photos', requestId: null, clientRef: null },
  ...change,
});

/** Stamping's queries for storage: its facts are recorded here; no other commitment is a stamp. */
export function testStamping() {
  const stamps = new Map<string, FoundStamp>();
  const confirmations = new Map<string, ConfirmationOfStamp>();
  const find = (places: readonly Place[]) => places.map((place) => stamps.get(keyOf(place)) ?? null);
  const confirmed = (stampIds: readonly string[]) => stampIds.flatMap((stampId) => confirmations.get(stampId) ?? []);
  const port: Stamping = {
    stampsOf: async (_object, receipts) => find(receipts),
    confirmationsOf: async (stampIds) => confirmed(stampIds),
  };
  return {
    port,
    know(receipt: Place, stamp: FoundStamp): void {
      stamps.set(keyOf(receipt), stamp);
    },
    confirm(confirmation: ConfirmationOfStamp): void {
      confirmations.set(confirmation.stampId, confirmation);
    },
    /** The same over HTTP, as its internal server answers. */
    async listen() {
      let fault: number | undefined;
      const defects = new Set<string>();
      const queries: string[] = [];
      const server = createServer(async (request, response) => {
        const body = JSON.parse(await text(request)) as { places?: Place[]; stampIds?: string[] };
        queries.push(request.url ?? '');
        if (fault !== undefined) return void response.writeHead(fault).end();
        if (body.places?.some((place) => defects.has(keyOf(place))) === true) return void response.writeHead(500).end();
        response.setHeader('Content-Type', 'application/json');
        response.end(
          JSON.stringify(
            request.url === '/internal/stamps/of-receipts'
              ? { stamps: find(body.places ?? []) }
              : { confirmations: confirmed(body.stampIds ?? []) },
          ),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        queries,
        away(value: boolean): void {
          fault = value ? 503 : undefined;
        },
        fail(status: number): void {
          fault = status;
        },
        /** Every query of this commitment hits a defect in stamping. */
        breakAt(receipt: Place): void {
          defects.add(keyOf(receipt));
        },
        close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
      };
    },
  };
}
