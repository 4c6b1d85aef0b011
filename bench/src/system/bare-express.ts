import { randomUUID } from 'node:crypto';
import express, { type Express, type Response } from 'express';
import kafkajs from 'kafkajs';
import { listen } from '../children/listen.ts';

type Accepted = { readonly id: string; readonly cid: string; readonly response: Response };

const topic = 'bench.durable-express';
const mostAtOnce = 5_000;

/** Reads the form of a stamp. */
function acceptForms(accept: (accepted: Accepted) => void): Express {
  return express().post('/api/v1/stamps', express.urlencoded({ extended: false }), (request, response) => {
    const cid: unknown = request.body.data_cid;
    if (typeof cid === 'string') accept({ id: randomUUID(), cid, response });
    else response.status(400).json({ error: 'data_cid is missing' });
  });
}

const answer = ({ id, response }: Accepted): unknown =>
  response.status(202).location(`/api/v1/stamps/${id}`).json({ id, status: 'accepted' });

/** A server that only responds, at once: a baseline for information. */
export const serveBareExpress = (_settings: object) => listen(acceptForms(answer));

/**
 * The baseline of accepting: a server that answers 202 once all in-sync replicas have the stamp, and does nothing else.
 * Requests that arrive while one to the brokers is in flight share the next.
 */
export async function serveDurableExpress({ kafkaBrokers }: { readonly kafkaBrokers: string }) {
  const { Kafka, logLevel, Partitioners } = kafkajs;
  const kafka = new Kafka({ brokers: kafkaBrokers.split(','), clientId: 'durable-express', logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 8, replicationFactor: 1 }] });
  await admin.disconnect();
  const createPartitioner = Partitioners.DefaultPartitioner;
  const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
  await producer.connect();
  const waiting: Accepted[] = [];
  let isSending = false;

  async function sendAll(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      const messages = batch.map(({ id, cid }) => ({ key: id, value: JSON.stringify({ id, data_cid: cid }) }));
      try {
        await producer.send({ topic, acks: -1, messages });
        for (const one of batch) answer(one);
      } catch (error) {
        for (const { response } of batch) response.status(503).json({ error: String(error) });
      }
    }
    isSending = false;
  }
  return listen(
    acceptForms((accepted) => {
      waiting.push(accepted);
      if (!isSending) setImmediate(() => void (isSending || sendAll()));
    }),
  );
}
