import { eventually } from '@indelible/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keys, type PathServer, type PathSettings, startServer } from './both-paths.ts';
import { cidEnding, conversation, type SampleRequest, usualRequest } from './stamp-requests.ts';

const started: PathServer[] = [];
const start = async (hasShortPath: boolean, settings: PathSettings = {}): Promise<PathServer> => {
  const server = await startServer(hasShortPath, settings);
  started.push(server);
  return server;
};
afterAll(() => Promise.all(started.map(({ edge }) => edge.stop())));

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Ids by order of first occurrence: each server makes its own. */
function namedIds() {
  const names = new Map<string, string>();
  return {
    inOrder: (text: string): string =>
      text.replace(uuids, (id) => {
        if (!names.has(id)) names.set(id, `<id ${names.size}>`);
        return names.get(id) as string;
      }),
    /** Those that no answer named are alike. */
    ofKnown: (text: string): string => text.replace(uuids, (id) => names.get(id) ?? '<an id>'),
  };
}

/** The effects of a conversation, without what differs between runs. */
async function broughtAbout(server: PathServer, pieces: readonly string[]) {
  const { lines, published, spans } = server;
  server.forget();
  const answer = await server.send(pieces);
  const ids = namedIds();
  const answers = ids.inOrder(answer.replaceAll(/^Date: .*$/gm, 'Date:'));
  // A request is logged after its response is sent.
  await eventually(async () => expect(await inFlight(server)).toBe(0));
  const texts = (things: readonly unknown[]): string[] => things.map((one) => ids.ofKnown(JSON.stringify(one))).sort();
  return {
    answers,
    lines: lines
      .map((line) =>
        ids.ofKnown(
          line
            .replace(/"time":"[^"]*"/, '"time"')
            .replace(/"durationMs":[\d.]+/, '"ms"')
            .replace(/"stack":"(?:[^"\\]|\\.)*"/g, '"stack"'),
        ),
      )
      .sort(),
    published: texts(published.map(({ contract, ...message }) => ({ type: contract.type, ...message }))),
    spans: texts(spans),
    metrics: (await server.metrics.metrics())
      .split('\n')
      .filter((line) => !/^indelible_gateway_request_duration_seconds_(?:sum|bucket)/.test(line))
      .sort(),
    left: { waiting: server.waitingRoom.size(), waiters: server.waiters(), quotaTaken: server.quotaTaken() },
  };
}

const connectionsOf = async (server: PathServer): Promise<number> =>
  Number(/^indelible_gateway_connections (\d+)$/m.exec(await server.metrics.metrics())?.[1]);
/** Requests that hold something yet. */
const inFlight = async (server: PathServer): Promise<number> =>
  (await connectionsOf(server)) + server.waitingRoom.size() + server.waiters();

const settings: readonly (readonly [string, PathSettings])[] = [
  ['as it is by default', {}],
  [
    'with traces, CORS and a public URL',
    { traces: true, corsOrigins: ['https://app.example.com'], publicUrl: 'https://stamp.example.com' },
  ],
  ['with CORS for every origin', { corsOrigins: ['*'] }],
];

describe('the short path', () => {
  it.each(settings)(
    'answers, publishes, logs and counts as the path of all requests, byte by byte, %s',
    async (_how, how) => {
      const [long, short] = [await start(false, how), await start(true, how)];
      // Keys are known from here on.
      for (const server of [long, short])
        for (const key of Object.values(keys))
          await server.send([
            textOf({
              head: usualRequest(cidEnding('8')).head.replace(keys.usual, key),
              body: usualRequest(cidEnding('8')).body,
            }),
          ]);
      await fc.assert(
        fc.asyncProperty(conversation, async (pieces) => {
          const [expected, got] = [await broughtAbout(long, pieces), await broughtAbout(short, pieces)];
          expect(got).toEqual(expected);
        }),
        { numRuns: 150 },
      );
      expect(long.tookShortPath()).toBe(0);
      expect(short.tookShortPath()).toBeGreaterThan(40);
    },
    120_000,
  );

  it('frees everything of a client that stops sending, or disconnects within its body or while it waits', async () => {
    const usual = usualRequest(cidEnding('8'));
    const [head, body] = [`${usual.head}\r\n\r\n`, usual.body];
    await onBoth({ stalledMs: 1_000, maxRequests: 4 }, async (server) => {
      const slow = await server.send([head, body.slice(0, 5)]);
      expect(slow).toMatch(/^HTTP\/1\.1 408 /);
      const cut = await server.open();
      cut.write(head + body.slice(0, 5));
      await eventually(async () => expect(await connectionsOf(server)).toBe(1));
      cut.destroy();
      await eventually(async () => expect(await inFlight(server)).toBe(0));
      server.hold();
      const waiting = await server.open();
      waiting.write(head + body);
      await eventually(async () => expect(server.held()).toBe(1));
      waiting.destroy();
      await eventually(async () => expect(await inFlight(server)).toBe(0));
      server.release();
      // Both of the account's places for requests are free.
      const answers = await Promise.all([1, 2].map(() => server.send([textOf(usual)])));
      for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 201 /);
      return { slow: statusAndBody(slow), statuses: statusesOf(server), quotaTaken: server.quotaTaken() };
    });
  });

  it('is bounded by the share of an account in requests and in places of the waiting room (I12)', async () => {
    await onBoth({ maxRequests: 4, maxWaiting: 2 }, async (server) => {
      server.hold();
      const first = server.send([textOf(usualRequest(cidEnding('8')))]);
      await eventually(async () => expect(server.held()).toBe(1));
      const full = await server.send([textOf(usualRequest(cidEnding('9')))]);
      const open = await Promise.all([1, 2, 3].map(() => server.open()));
      // Without their bodies they still count as the account's requests, of which it may have two of four.
      for (const socket of open) socket.write(`${usualRequest(cidEnding('9')).head}\r\n\r\n`);
      await eventually(async () => expect(await refusals(server)).toBe(2));
      for (const socket of open) socket.destroy();
      server.release();
      expect(await first).toMatch(/^HTTP\/1\.1 201 /);
      await eventually(async () => expect(await inFlight(server)).toBe(0));
      expect(await server.send([textOf(usualRequest(cidEnding('8')))])).toMatch(/^HTTP\/1\.1 201 /);
      return { full: statusAndBody(full) };
    });
  });

  it('ends what waits when the server stops, each with its status resource, and each connection with its answer', async () => {
    await onBoth({ drainMs: 50 }, async (server) => {
      server.hold();
      const requests = [usualRequest(cidEnding('8')), usualRequest(cidEnding('9'), ['Prefer: respond-async'])].map(
        // The connection would be kept.
        ({ head, body }) => server.send([`${head}\r\n\r\n${body}`]),
      );
      await eventually(async () => expect(server.held()).toBe(2));
      await server.edge.stop();
      const answers = (await Promise.all(requests)).map((answer) => namedIds().inOrder(statusAndBody(answer)));
      expect(answers[0]).toMatch(/^HTTP\/1\.1 503 .*the stamp is not confirmed yet/s);
      expect(answers[1]).toMatch(/^HTTP\/1\.1 202 /);
      expect([server.waitingRoom.size(), server.waiters()]).toEqual([0, 0]);
      return { answers };
    });
  });
});

/** Does the same on both servers, which must come to the same. */
async function onBoth(how: PathSettings, work: (server: PathServer) => Promise<object>): Promise<void> {
  const outcomes: object[] = [];
  for (const hasShortPath of [false, true]) {
    const server = await start(hasShortPath, how);
    // Its key is known from here on.
    await server.send([textOf(usualRequest(cidEnding('8')))]);
    outcomes.push(await work(server));
    expect(server.tookShortPath() > 0).toBe(hasShortPath);
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
}

const statusAndBody = (answer: string): string => answer.replace(/\r\n.*\r\n\r\n/s, '\n');
const statusesOf = ({ lines }: PathServer): number[] =>
  lines.map((line) => (JSON.parse(line) as { status: number }).status).sort();
const refusals = async (server: PathServer): Promise<number> =>
  Number(
    /^indelible_gateway_refused_requests_total\{bound="account"\} (\d+)$/m.exec(await server.metrics.metrics())?.[1] ??
      0,
  );

const textOf = ({ head, body }: SampleRequest): string => `${head}\r\nConnection: close\r\n\r\n${body}`;
