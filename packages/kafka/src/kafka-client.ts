import net from 'node:net';
import tls from 'node:tls';
import type { Logger } from '@indelible/service-runtime';
import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { createLogBridge } from './kafka-log.ts';

export type Connection = {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly logger: Logger;
  readonly ssl?: KafkaConfig['ssl'];
  readonly sasl?: KafkaConfig['sasl'];
  /** In place of a direct connection to the broker's address. */
  readonly openSocket?: ISocketFactory;
};

export type Patience = {
  /** One try to connect, and one request, in milliseconds. */
  readonly connectionTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** kafkajs' own nested retries: few, since callers of this package retry by time. */
  readonly retries: number;
};

const keepAliveMs = 60_000;

/** Without Nagle's delay: a request is one write, and must not wait for the last acknowledgement. */
const openSocket: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const serverName = net.isIP(host) ? {} : { servername: host };
  const socket = ssl
    ? tls.connect({ host, port, ...serverName, ...ssl }, onConnect)
    : net.connect({ host, port }, onConnect);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveMs);
  return socket;
};

/** A kafkajs client with its own connections; not yet connected. */
export const createKafkaClient = (connection: Connection, patience: Patience): Kafka => {
  const config: KafkaConfig = {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    connectionTimeout: patience.connectionTimeoutMs,
    requestTimeout: patience.requestTimeoutMs,
    retry: {
      retries: patience.retries,
      initialRetryTime: 50,
      maxRetryTime: 1000,
      factor: 0.2,
      multiplier: 2,
      restartOnFailure: async () => false,
    },
    socketFactory: connection.openSocket ?? openSocket,
    logLevel: logLevel.INFO,
    logCreator: createLogBridge(connection.logger),
    ...(connection.ssl === undefined ? {} : { ssl: connection.ssl }),
    ...(connection.sasl === undefined ? {} : { sasl: connection.sasl }),
  };
  return new Kafka(config);
};
