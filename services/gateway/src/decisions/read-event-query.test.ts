import { describe, expect, it } from '@jest/globals';
import { readEventQuery } from './read-event-query.ts';

const read = (
  query: Record<string, string> = {},
  { lastEventId, accept }: { lastEventId?: string; accept?: string } = {},
) => readEventQuery(query, { lastEventId, accept });
const everything = { types: undefined, collections: undefined };

describe('a request for events', () => {
  it('is for a stream from now on, of everything', () => {
    expect(read()).toEqual({ form: 'stream', from: undefined, filter: everything });
  });

  it.each<[string | undefined, string]>([
    [undefined, 'stream'],
    ['*/*', 'stream'],
    ['text/event-stream', 'stream'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'stream'],
    ['application/json, text/event-stream', 'stream'],
    ['application/json', 'page'],
    ['application/json, text/plain, */*', 'page'],
  ])('with Accept %j is for a %s', (accept, form) => {
    expect(read({}, accept === undefined ? {} : { accept })).toMatchObject({ form });
  });

  it('with wait is for a page, from the first event on', () => {
    expect(read({ wait: '0' }, { accept: 'text/event-stream' })).toEqual({
      form: 'page',
      from: { after: 0 },
      filter: everything,
      limit: 100,
      waitMs: 0,
    });
    expect(read({ wait: '7', limit: '3', after: '12' })).toMatchObject({
      limit: 3,
      waitMs: 7_000,
      from: { after: 12 },
    });
  });

  it('resumes behind the last event that was read, also where the query names an older place', () => {
    expect(read({ after: '7' }, { lastEventId: '9' })).toMatchObject({ from: { after: 9 } });
    expect(read({ since: '2026-11-21T04:10:07Z' }, { lastEventId: '9' })).toMatchObject({ from: { after: 9 } });
    expect(read({ after: '7' }, { lastEventId: '' })).toMatchObject({ from: { after: 7 } });
  });

  it('takes a time with an offset, whose plus may have become a space', () => {
    for (const since of ['2026-11-21T06:10:07+02:00', '2026-11-21T06:10:07 02:00', '2026-11-21T04:10:07Z'])
      expect(read({ since })).toMatchObject({ from: { since: '2026-11-21T04:10:07.000Z' } });
  });

  it('takes names and CIDs, in any letter case', () => {
    const cid = `0x${'Ab'.repeat(32)}`;
    expect(read({ types: 'stamp.confirmed,file.stored', collections: cid })).toMatchObject({
      filter: { types: new Set(['stamp.confirmed', 'file.stored']), collections: new Set([cid.toLowerCase()]) },
    });
  });

  it.each([
    [{ since: '2026-11-21T04:10:07Z', after: '7' }, {}, 'since'],
    [{ since: '2026-13-41T04:10:07Z' }, {}, 'since'],
    [{ since: '2026-11-21T04:10:07' }, {}, 'since'],
    [{ since: 'yesterday' }, {}, 'since'],
    [{ after: '9999999999999999' }, {}, 'after'],
    [{}, { lastEventId: '9999999999999999' }, 'Last-Event-ID'],
    [{ limit: '3' }, {}, 'limit'],
  ])('%j with %j is refused, by the name of %s', (query, headers, name) => {
    expect(read(query as Record<string, string>, headers)).toMatchObject({ fault: { name } });
  });
});
