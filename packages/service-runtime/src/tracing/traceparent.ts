/** W3C trace context, version 00: 55 characters, and ids that are not all zero. */
const shape = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const length = 55;

export const isTraceparent = (text: string): boolean => text.length === length && shape.test(text);

/** Whether spans of the trace are recorded. */
export const isSampled = (traceparent: string | null | undefined): traceparent is string =>
  traceparent?.length === length && (Number.parseInt(traceparent.charAt(length - 1), 16) & 1) === 1;

/** The same place in the same trace, with the decision of this service. */
export const withDecision = (traceparent: string, isSampled: boolean): string =>
  `${traceparent.slice(0, -2)}${isSampled ? '01' : '00'}`;

const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** For a line of the log that has the id of the request. */
export const traceForLog = (traceparent: string | undefined): { traceId?: string } =>
  traceparent === undefined ? {} : { traceId: traceIdOf(traceparent) };

/** The distinct traces of some traceparents, at most 50, to keep the log line short. */
export function traceIdsForLog(traceparents: Iterable<string | null | undefined>): { traceIds?: readonly string[] } {
  const ids = new Set<string>();
  for (const traceparent of traceparents) {
    if (typeof traceparent === 'string' && isTraceparent(traceparent)) ids.add(traceIdOf(traceparent));
    if (ids.size === 50) break;
  }
  return ids.size === 0 ? {} : { traceIds: [...ids] };
}
