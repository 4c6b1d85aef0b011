import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, openConnections } from './http-connection.ts';
import { type Acknowledged, freshCid, stampRequests, type Target } from './stamp-request.ts';

/** Longer than the service lets a request wait before it responds. */
const lastAnswerWithinMs = 45_000;

export type CallersJob = Target & {
  readonly connections: number;
  /**
   * Stamps per second at set times, regardless of responses: each on the connection idle for longest, or the next free
   * one; latency counts from the set time. If omitted, each connection stamps the next CID after a response.
   */
  readonly perSecond?: number;
  /** The expected status. */
  readonly status: 201 | 202;
  readonly header?: string;
};

export type Callers = {
  readonly acknowledged: readonly Acknowledged[];
  /** Rejects at another answer, and when a connection breaks. */
  readonly failed: Promise<never>;
  /** Stops sending and waits for responses in flight. @throws Error when one is late */
  finish(): Promise<readonly Acknowledged[]>;
};

/** Stamps fresh CIDs during the work, then closes the connections. */
export async function withCallers<Outcome>(
  job: CallersJob,
  work: (callers: Callers) => Promise<Outcome>,
): Promise<Outcome> {
  const acknowledged: Acknowledged[] = [];
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  const fail = (what: string): void =>
    failed.reject(new Error(`no result: after ${acknowledged.length} × ${job.status} there was ${what}`));
  const connections = await openConnections(job.rootUrl, job.connections, ({ message }) =>
    fail(`a connection that broke: ${message}`),
  );
  const requestOf = stampRequests(job, job.header);
  let [underWay, isOver] = [0, false];
  const send = (connection: Connection, dueAt: number, next: (connection: Connection) => void): void => {
    const cid = freshCid();
    underWay++;
    connection.send(requestOf(cid), (status, body) => {
      underWay--;
      if (status === job.status) acknowledged.push({ cid, dueAt, answeredAt: performance.now(), body });
      else fail(`${status} ${body.slice(0, 500)}`);
      next(connection);
    });
  };
  const sendNext = (connection: Connection): void => {
    if (!isOver) send(connection, performance.now(), sendNext);
  };

  /** The connection free for longest comes first: a server closes one that is never used. */
  async function sendAtSetTimes(perSecond: number): Promise<void> {
    const [free, due] = [[...connections], [] as number[]];
    const sendDue = (): void => {
      while (free.length > 0 && due.length > 0)
        send(free.shift() as Connection, due.shift() as number, (connection) => {
          free.push(connection);
          sendDue();
        });
    };
    const began = performance.now();
    const setTime = (count: number): number => began + (count / perSecond) * 1_000;
    for (let count = 0; !isOver; await delay(1)) {
      for (; setTime(count) <= performance.now(); count++) due.push(setTime(count));
      sendDue();
    }
  }

  try {
    if (job.perSecond === undefined) for (const connection of connections) sendNext(connection);
    else void sendAtSetTimes(job.perSecond);
    return await work({
      ...{ acknowledged, failed: failed.promise },
      async finish() {
        isOver = true;
        for (const until = performance.now() + lastAnswerWithinMs; underWay > 0; )
          if (performance.now() < until) await Promise.race([delay(10), failed.promise]);
          else throw new Error(`no result: ${underWay} are without an answer`);
        return acknowledged;
      },
    });
  } finally {
    isOver = true;
    for (const connection of connections) connection.close();
  }
}
