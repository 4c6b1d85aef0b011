import { parseArgs } from 'node:util';
import { type Hex, parseAddress, parseCid } from '@indelible/identifiers';
import { deadLetterTopicOf } from '@indelible/kafka';
import { type TopicName, topics } from '@indelible/messages';
import { eventNames, publicTopicOf } from '@indelible/public-events';
import type { ReplayConfig } from '../config.ts';
import type { Replay, ReplayCursor } from '../use-cases/replay-log.ts';

export type ReplayRequest = {
  readonly replay: Replay;
  readonly topic: string;
  /** Counts, and publishes nothing. */
  readonly dryRun: boolean;
  /** Allows a topic that already has records. */
  readonly append: boolean;
  readonly json: boolean;
};

/** @returns the request, or why it is invalid */
export function readReplayWords(words: readonly string[], now: Date): ReplayRequest | string {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(words);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const topic = values['to-topic'] ?? '';
  if (!/^[a-zA-Z0-9._-]{1,249}$/.test(topic)) return '--to-topic: the name of a topic is missing or invalid';
  const account = values.account === undefined ? undefined : parseAddress(values.account);
  if (values.account !== undefined && account === undefined) return '--account: an address';
  const since = timeOf(values.since, new Date(0));
  const until = timeOf(values.until, now);
  if (since === undefined || until === undefined) return '--since, --until: ISO 8601 times with their offset';
  if (since >= until) return '--since is not before --until';
  const after = values.after === undefined ? undefined : parseCursor(values.after);
  if (values.after !== undefined && after === undefined)
    return '--after: a cursor that a replay has printed, such as 0x…:1204';
  const unknown = values.type?.find((name) => !eventNames.has(name));
  if (unknown !== undefined) return `--type: not a type of event: ${unknown}`;
  const collections = values.collection?.map(parseCid);
  if (collections?.includes(undefined)) return '--collection: CIDs';
  return {
    replay: {
      ...{ account, since, until, after },
      types: values.type === undefined ? undefined : new Set(values.type),
      collections: collections === undefined ? undefined : new Set(collections as Hex[]),
    },
    topic,
    dryRun: values['dry-run'],
    append: values.append,
    json: values.json,
  };
}

const parse = (words: readonly string[]) =>
  parseArgs({
    args: [...words],
    options: {
      'to-topic': { type: 'string' },
      account: { type: 'string' },
      collection: { type: 'string', multiple: true },
      type: { type: 'string', multiple: true },
      since: { type: 'string' },
      until: { type: 'string' },
      after: { type: 'string' },
      append: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  }).values;

function timeOf(text: string | undefined, otherwise: Date): Date | undefined {
  if (text === undefined) return otherwise;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

export const cursorText = ({ account, position }: ReplayCursor): string => `${account}:${position}`;

function parseCursor(text: string): ReplayCursor | undefined {
  const [, address = '', position = ''] = /^(0x[0-9a-fA-F]{40}):(\d{1,16})$/.exec(text) ?? [];
  const account = parseAddress(address);
  return account === undefined ? undefined : { account, position: Number(position) };
}

/** Why the topic cannot be replayed into: a second history in it would break the order that its readers rely on. */
export function refusalOf(topic: string, config: Pick<ReplayConfig, 'topicPrefix' | 'publicTopicPrefix'>) {
  if (topic === publicTopicOf(config.publicTopicPrefix))
    return `${topic} is the public topic: its readers have these events in order already. Name a topic of its own`;
  const internal = (Object.keys(topics) as TopicName[]).flatMap((name) => [name, deadLetterTopicOf(name)]);
  if (internal.some((name) => topic === `${config.topicPrefix}${name}`))
    return `${topic} is an internal topic: its consumers cannot read public events. Name a topic of its own`;
  return undefined;
}
