import { randomUUID } from 'node:crypto';
import { createAsyncApi, defaultOrigin, eventNames, publicSchemas } from '@indelible/public-events';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { testRegistry } from '../../packages/public-events/tests/support/test-registry.ts';
import { createEventPages } from '../../services/gateway/src/api/pages/event-pages.ts';
import { allReleases } from './support/releases.ts';

// Events of every release are in logs and topics for ever, and programs that were written for it read those of this one.

jest.setTimeout(120_000);

const releases = await allReleases();
const fileOf = ({ name, version }: { readonly name: string; readonly version: number }): string =>
  `${name}.v${version}.json`;
/** By the name of its file, every form in which a schema was released, the oldest first. */
const released = Map.groupBy(
  releases.flatMap(({ publicEvents }) => publicEvents),
  fileOf,
);
const current = new Map(publicSchemas.map((each) => [each.fileName, each]));
/** Sent to webhooks only, on request: no subscription names them. */
const inNoLog = new Set(['webhook.test']);

const { register, dispose } = testRegistry();
afterAll(dispose);

it('every release says which public events it has', () => {
  for (const { version, publicEvents } of releases) expect([version, publicEvents.length > 0]).toEqual([version, true]);
});

describe.each([...released])('the released schema %s', (file, forms) => {
  it('is compatible with this one, both ways: the registry takes all of them in turn (FULL_TRANSITIVE)', async () => {
    const subject = `test.${randomUUID()}`;
    for (const { schema } of forms) await register({ subject, schema });
    const { schema } = current.get(file) ?? {};
    expect(schema).toBeDefined();
    await register({ subject, schema: schema as object });
  });

  it('is served, described, and can be subscribed to', () => {
    const find = createEventPages(defaultOrigin.publicUrl, Buffer.from(''));
    expect(JSON.parse(String(find(`/schemas/${file}`)?.body))).toEqual(current.get(file)?.schema);
    expect(JSON.stringify(createAsyncApi(defaultOrigin))).toContain(current.get(file)?.subject);
    for (const { name } of forms) expect([name, eventNames.has(name)]).toEqual([name, !inNoLog.has(name)]);
  });
});
