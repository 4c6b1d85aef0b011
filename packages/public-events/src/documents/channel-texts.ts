import { publicTopicDefaults, publicTopicOf } from '../topic.ts';

/** What documents say of each way to subscribe, in CommonMark: `/asyncapi.json` and the page at `/events/`. */
export type ChannelTexts = { readonly title: string; readonly summary: string; readonly description: string };

const topic = publicTopicOf(publicTopicDefaults.prefix);

export const promise = [
  'What happens to stamps, files, collections and accounts, as CloudEvents 1.0. The `data` of an event is the same object on the Kafka topic, in the stream of server-sent events, and in a webhook.',
  'Events of one account and collection are in order, and `sequence` counts them from 1 without gaps: a missing number is an event that you have not received. Each event is delivered at least once. One that is delivered again has the same `id`, whenever and by whichever way it comes.',
  '`stamp.confirmed` is a fact of the chain at the configured depth. A reorg may still revert it: `stamp.reverted` follows, and then another `stamp.confirmed` with a new receipt. After `stamp.finalized` the receipt is not expected to change.',
  'A type never changes in a way that breaks its readers: what would is a new version with a type of its own (`.v2`), and both are published for at least 180 days. Ignore types and fields that you do not know.',
];

export const topicTexts: ChannelTexts = {
  title: 'Kafka topic',
  summary: 'For internal teams: every event of every account.',
  description: [
    'One record for each event, in the binary mode of the Kafka protocol binding of CloudEvents: attributes are the headers `ce_…`, the value is `data` as plain JSON. No schema registry is needed to read it.',
    'The key is the account and the collection CID in lower case (`0x…/0x…`), so all events of a collection are in one partition, in order. Events of the account itself have its address as key.',
    'Use a consumer group whose name begins with your team and ends with what it does, such as `billing.stamp-ledger`; commit an offset after its event has taken effect. A local start needs no credentials:',
    `\`\`\`
kcat -b 127.0.0.1:9092 -t ${topic} -C -o beginning -f '%k %h %s\\n'
\`\`\``,
  ].join('\n\n'),
};

/** @param publicUrl of the REST API */
export const streamTextsOf = (publicUrl: string): ChannelTexts => ({
  title: 'Server-sent events',
  summary: "The events of one account, with that account's API key (scope `read`).",
  description: [
    '`GET /api/v1/events` streams events as they are published. Filter with `types=stamp.confirmed,stamp.reverted` and `collections=0x…`. Each message has the position of the event as `id`, its name (`stamp.confirmed`) as `event`, and the CloudEvent in JSON format as `data`.',
    'A stream begins with events from now on. After a broken connection send the last `id` as `Last-Event-ID` and nothing is missing; browsers do it by themselves. `since=2026-11-21T00:00:00Z` begins at a time instead, as far back as the account goes: the service keeps every event.',
    'With `wait=0` the answer is a page of JSON in place of a stream: `{"events": […], "next": "57", "more": true}`. Send `next` as `after` for the next page.',
    `\`\`\`
curl -N -H "Authorization: Bearer $API_KEY" \\
  "${publicUrl}/api/v1/events?types=stamp.confirmed"
\`\`\``,
  ].join('\n\n'),
});

/** For a type in no log. */
export const webhooksOnly =
  'Sent to webhooks only: it is neither on the Kafka topic nor at `GET /api/v1/events`, and its `sequence` has no meaning.';

/** @param publicUrl of the REST API */
export const webhookTextsOf = (publicUrl: string): ChannelTexts => ({
  title: 'Webhooks',
  summary: 'The events of one account, sent to a URL of yours by the Standard Webhooks specification.',
  description: [
    'Each event is a POST whose body is the CloudEvent in JSON format. `webhook-id` is the id of the event, `webhook-timestamp` and `webhook-signature` show that it is ours and not old: verify them with a library of Standard Webhooks before you trust the body.',
    'Answer 2xx once you have stored the event. Anything else, or no answer, is tried again after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h and 10 h. With `ordered` the next event of a collection waits for the one before.',
    `\`\`\`
curl -X POST -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -d '{"url": "https://you.example.com/indelible", "types": ["stamp.confirmed"]}' \\
  ${publicUrl}/api/v1/webhooks
\`\`\``,
  ].join('\n\n'),
});
