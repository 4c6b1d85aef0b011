import { createListener } from '@indelible/postgres';
import type { Component, Logger } from '@indelible/service-runtime';
import { type Work, workChannel } from '../work-channel.ts';

/**
 * Wakes every lane when work waits for a batch. After a reconnect, all lanes look for work: announcements made in
 * between were not received.
 */
export const createWorkListener = (options: {
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly onWork: (work: Work) => void;
}): Component =>
  createListener({
    ...{ name: 'work listener', url: options.databaseUrl, applicationName: 'stamping work listener' },
    ...{ channel: workChannel, logger: options.logger, listensFor: 'new work' },
    onNotification: (payload) => options.onWork(payload === 'rebroadcast' ? 'rebroadcast' : 'waiting'),
    onListening: () => options.onWork('rebroadcast'),
  });
