import type { CollectedSpan } from '@indelible/testing';

const nameOf = ({ service, name }: CollectedSpan): string => `${service}: ${name}`;

/** The spans of one trace, each with those before it: `gateway: POST … > gateway: send …`. */
export function pathsOf(spans: readonly CollectedSpan[]): readonly string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const pathOf = (span: CollectedSpan): string => {
    const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
    return parent === undefined ? nameOf(span) : `${pathOf(parent)} > ${nameOf(span)}`;
  };
  return spans.map(pathOf);
}

/** The only span of this name. */
export function spanOf(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const [span, ...others] = spans.filter((one) => nameOf(one) === name);
  if (span === undefined || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans ${name}`);
  return span;
}

const request = 'gateway: POST /api/v1/stamps';
const decided = `${request} > gateway: send commands.stamps > stamping: process commands.stamps`;
const confirmed = `${decided} > stamping: confirm`;
const published = `${confirmed} > notifications: process events.stamps`;
const stored = `${confirmed} > storage: process events.stamps`;

/** What happens to a stamp with a file whose account has a webhook, from the request to the webhook. */
export const wayOfAStamp: readonly string[] = [
  request,
  `${request} > gateway: send commands.stamps`,
  decided,
  `${decided} > stamping: submit`,
  confirmed,
  published,
  `${published} > notifications: POST webhook`,
  stored,
  `${stored} > notifications: process events.files`,
  `${stored} > notifications: process events.files > notifications: POST webhook`,
];
