import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { StampFacts, StampFile } from '@indelible/messages';
import { closeServer, listen, portOf } from '@indelible/service-runtime';

export type StatusStandIn = Awaited<ReturnType<typeof startStatusStandIn>>;

/** The internal servers of stamping and storage, for statuses: their facts are those that tests set here. */
export async function startStatusStandIn() {
  const stamps = new Map<string, StampFacts>();
  const aliases = new Map<string, string>();
  const files = new Map<string, StampFile>();
  const lookups: (readonly string[])[] = [];
  let isAway = false;

  const stampsOf = (ids: readonly string[]) =>
    ids.flatMap((requestedId) => {
      const facts = stamps.get(aliases.get(requestedId) ?? requestedId);
      return facts === undefined ? [] : [{ requestedId, ...facts }];
    });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { ids: string[]; stampIds: string[] };
    if (isAway) return void response.writeHead(503).end('{}');
    const isOfStamps = request.url === '/internal/stamps/lookup';
    if (isOfStamps) lookups.push(body.ids);
    const found = isOfStamps
      ? { stamps: stampsOf(body.ids) }
      : { files: body.stampIds.flatMap((id) => files.get(id) ?? []) };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(found));
  }
  const server = await listen(
    createServer((request, response) => void answer(request, response)),
    '127.0.0.1',
    0,
  );
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    /** The ids of each look-up of stamps that was answered. */
    lookups,
    /** Sets the facts of a stamp, or of a refused request. */
    note: (facts: StampFacts): void => void stamps.set(facts.id, facts),
    /** Changes its facts; no effect for an unknown stamp. */
    change(id: string, more: Partial<StampFacts>): void {
      const known = stamps.get(id);
      if (known !== undefined) stamps.set(id, { ...known, ...more });
    },
    join: (requestId: string, stampId: string): void => void aliases.set(requestId, stampId),
    store: (file: StampFile): void => void files.set(file.stampId, file),
    setAway(away: boolean): void {
      isAway = away;
    },
    close(): Promise<void> {
      server.closeAllConnections();
      return closeServer(server);
    },
  };
}
