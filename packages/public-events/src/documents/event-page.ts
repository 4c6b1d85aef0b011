import { cloudEventOf, type EventOrigin, kafkaRecordOf, type LoggedEvent } from '../cloud-event.ts';
import { ceTypeOf, type PublicEventType, schemaFileOf } from '../public-event.ts';
import { sampleStamp } from '../samples.ts';
import { isLogged } from '../types.ts';
import { webhooksOnly } from './channel-texts.ts';
import { fieldRowsOf } from './field-rows.ts';
import { sampleEventOf } from './sample-event.ts';

/** In `docs/events/`. */
export const eventPageNameOf = ({ name, version }: PublicEventType): string => `${name}.v${version}.md`;

/** The page of one type, in Markdown. */
export function eventPageOf(type: PublicEventType, origin: EventOrigin): string {
  const event = sampleEventOf(type);
  const rows = fieldRowsOf(type.schema).map(
    ({ name, type, description }) => `| \`${name}\` | ${type} | ${description} |`,
  );
  return `<!-- Generated from packages/public-events/src/types; not to be edited. -->

# ${type.schema.title}

\`${ceTypeOf(type)}\`

${[type.schema.description, ...(isLogged(type) ? [] : [webhooksOnly])].join('\n\n')}

| field of \`data\` | type | |
|---|---|---|
${rows.join('\n')}

Every field is in every event; those that may be null say so. JSON Schema:
[${schemaFileOf(type)}](../../packages/public-events/schemas/${schemaFileOf(type)}), served at \`/schemas/${schemaFileOf(type)}\`. What all events have in common:
[events](../events.md).

${isLogged(type) ? `${recordOf(event, origin)}\n## In a stream, a page or a webhook` : '## In a webhook'}

\`\`\`json
${JSON.stringify(cloudEventOf(event, origin), null, 2)}
\`\`\`
`;
}

function recordOf(event: LoggedEvent, origin: EventOrigin): string {
  const { key, headers } = kafkaRecordOf(sampleStamp.user_address as `0x${string}`, event, origin);
  return `## On the Kafka topic

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
`;
}
