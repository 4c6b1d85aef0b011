import { cloudEventOf, type EventOrigin, kafkaRecordOf } from '../cloud-event.ts';
import { ceTypeOf, type PublicEventType, schemaFileOf } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';
import { fieldRowsOf } from './field-rows.ts';
import { sampleEventOf } from './sample-event.ts';

/** In `docs/events/`. */
export const eventPageNameOf = ({ name, version }: PublicEventType): string => `${name}.v${version}.md`;

/** The page of one type, in Markdown. */
export function eventPageOf(type: PublicEventType, origin: EventOrigin): string {
  const event = sampleEventOf(type);
  const { key, headers } = kafkaRecordOf(sampleStamp.user_address as `0x${string}`, event, origin);
  const rows = fieldRowsOf(type.schema).map(
    ({ name, type, description }) => `| \`${name}\` | ${type} | ${description} |`,
  );
  return `<!-- Generated from packages/public-events/src/types; not to be edited. -->

# ${type.schema.title}

\`${ceTypeOf(type)}\`

${type.schema.description}

| field of \`data\` | type | |
|---|---|---|
${rows.join('\n')}

Every field is in every event; those that may be null say so. JSON Schema:
[${schemaFileOf(type)}](../../packages/public-events/schemas/${schemaFileOf(type)}), served at \`/schemas/${schemaFileOf(type)}\`. What all events have in common:
[events](../events.md).

## On the Kafka topic

The key:

    ${key}

The headers:

\`\`\`
${Object.entries(headers)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\n')}
\`\`\`

The value:

\`\`\`json
${JSON.stringify(event.data, null, 2)}
\`\`\`

## In a stream, a page or a webhook

\`\`\`json
${JSON.stringify(cloudEventOf(event, origin), null, 2)}
\`\`\`
`;
}
