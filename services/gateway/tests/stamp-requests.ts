import { cidOfCollectionName, cidOfContent } from '@indelible/identifiers';
import fc from 'fast-check';
import { type KeyName, keys, known } from './both-paths.ts';

// Requests to stamp, most of the usual shape and each with something that may be wrong with it; as they are on the wire.

const mostly = <Value>(usual: Value, ...others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(usual, ...others) });

const cidEnding = (digit: string): string => `0x${'a1'.repeat(31)}b${digit}`;
const cid = fc.constantFrom(...'0123456789abcdef').map(cidEnding);
const dataText = 'some text';

/** Values as they are in the form. */
const valuesOf: Readonly<Record<string, fc.Arbitrary<string>>> = {
  data_cid: fc.oneof(
    { weight: 8, arbitrary: cid },
    fc.constantFrom(
      cidOfContent(dataText),
      cidEnding('A').toUpperCase(),
      `0x${'0'.repeat(64)}`,
      '0x12',
      '',
      `${cidEnding('8')}0`,
      '%30x1',
    ),
  ),
  data: fc.constantFrom('some+text', 'some%20text', '%e2%82%ac', '%ff', '%zz', '', 'x'.repeat(1_001)),
  collection_name: fc.constantFrom(
    known.created,
    known.registered,
    'Invoices%',
    'new+one',
    '%C3%A9t%C3%A9',
    '',
    '..',
    'x'.repeat(300),
    '%00',
  ),
  collection_cid: fc.constantFrom(
    ...[known.created, known.registered, 'unknown'].map((name) => cidOfCollectionName(name)),
    '0x1',
  ),
  store_stamped_file: fc.constantFrom('true', 'FALSE', '0', 'maybe'),
  idempotent: fc.constantFrom('true', 'false', '1', 'no'),
  idempotency_window: fc.constantFrom('0', '60', '31536000', '31536001', '-1', '1.5', ''),
  file_name: fc.constantFrom('a.txt', '..%2Fa', '%ff', 'x'.repeat(400)),
  file: fc.constantFrom('x'),
  client_ref: fc.constantFrom('mine'),
  'data%5fcid': cid,
  'dat%zz': fc.constant('1'),
  '': fc.constant('1'),
};
const field = (name: string): fc.Arbitrary<string> =>
  (valuesOf[name] as fc.Arbitrary<string>).map((value) => (value === 'bare' ? name : `${name}=${value}`));

const form = fc.oneof(
  { weight: 4, arbitrary: field('data_cid') },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        field('data_cid'),
        fc.array(fc.constantFrom(...Object.keys(valuesOf)).chain(field), { maxLength: 3 }),
        fc.constantFrom('&', '&&'),
      )
      .chain(([first, more, between]) =>
        fc.shuffledSubarray([first, ...more], { minLength: more.length }).map((all) => all.join(between)),
      ),
  },
  fc.array(fc.constantFrom(...Object.keys(valuesOf)).chain(field), { maxLength: 4 }).map((all) => all.join('&')),
  // Around the size to which forms are small, and beyond it; more fields than a form may have.
  fc.constantFrom(4_096, 4_097, 9_000).map((size) => `data_cid=${cidEnding('8')}`.padEnd(size, '&')),
  fc.constantFrom(64, 65).map((fields) => `data_cid=${cidEnding('8')}&`.repeat(fields)),
);

const uuid = '0e4f2a9c-5d0b-4c59-8f0e-3a1c3a0b7d11';
const traced = `00-${'ab'.repeat(16)}-00f067aa0ba902b7-0`;
const formType = 'application/x-www-form-urlencoded';
const none: readonly string[] = [];
const headers = (name: string, ...values: readonly string[]): readonly string[] =>
  values.map((value) => `${name}: ${value}`);

const authorization = fc
  .oneof(
    { weight: 10, arbitrary: fc.constant<KeyName>('usual') },
    { weight: 2, arbitrary: fc.constantFrom<KeyName>('limited', 'exhausted') },
    fc.constantFrom(...(Object.keys(keys) as KeyName[])),
  )
  .chain((name) =>
    mostly(
      headers('Authorization', `Bearer ${keys[name]}`),
      none,
      headers('authorization', `bearer  ${keys[name]} `),
      headers('Authorization', `Bearer ${keys[name]}`, `Bearer ${keys[name]}`),
      headers('Authorization', `Bearer ${keys[name].slice(0, -1)}`),
      headers('Authorization', 'Basic YTpi'),
    ),
  );

const lineOf = (method: string, target: string, version: string): string => `${method} ${target} HTTP/${version}`;
const requestLine = fc
  .tuple(
    mostly('POST', 'GET', 'HEAD', 'PUT', 'OPTIONS'),
    mostly(
      '/api/v1/stamps',
      ...[
        '/api/v1/stamps/',
        '/api/v1/stamps?x=1',
        '/api/v1/stamps?',
        'http://h/api/v1/stamps',
        '/api/v1/%73tamps',
        '/api/v1/stamp/',
      ],
    ),
    mostly('1.1', '1.0'),
  )
  .map((parts) => lineOf(...parts));

const otherHeaders = fc.tuple(
  authorization,
  mostly(headers('Host', 'h'), none),
  mostly(
    headers('Content-Type', formType),
    none,
    ...['; charset=utf-8', ';charset=UTF-8', '; charset=latin1', ';', '; charset', ' ;charset="utf-8"'].map((end) =>
      headers('Content-Type', formType + end),
    ),
    headers('content-type', formType.toUpperCase()),
    headers('Content-Type', 'application/json'),
    headers('Content-Type', 'multipart/form-data; boundary=x'),
    headers('Content-Type', formType, 'text/plain'),
  ),
  mostly(
    none,
    headers('Prefer', 'respond-async'),
    ...['wait=10', 'respond-async, wait=5', ' Respond-Async ; x=1', 'respond-asynchronously', ''].map((value) =>
      headers('Prefer', value),
    ),
    headers('Prefer', 'wait=1', 'respond-async'),
  ),
  mostly(
    none,
    headers('X-Request-Id', uuid),
    headers('x-request-id', uuid.toUpperCase()),
    headers('X-Request-Id', 'mine'),
    headers('X-Request-Id', uuid, uuid),
  ),
  mostly(none, headers('traceparent', `${traced}1`), headers('traceparent', `${traced}0`), headers('traceparent', 'x')),
  mostly(
    none,
    headers('Origin', 'https://app.example.com'),
    headers('Origin', 'https://evil.example.com'),
    headers('Origin', 'null'),
  ),
  mostly(
    none,
    ...['first', 'resumed', 'busy', 'conflict', '', 'é', 'x'.repeat(256)].map((value) =>
      headers('Idempotency-Key', value),
    ),
    headers('Idempotency-Key', 'a', 'b'),
  ),
  mostly(none, headers('Content-Encoding', 'identity'), headers('Content-Encoding', 'gzip')),
  mostly(none, headers('Expect', '100-continue'), headers('Expect', 'the worst')),
);

type Framing = { readonly headers: readonly string[]; readonly body: (form: string) => string };
const framing = mostly<'length' | 'chunks' | 'long' | 'none'>('length', 'chunks', 'long', 'none');
const framed = (as: string, text: string): Framing => {
  switch (as) {
    case 'chunks':
      return {
        headers: ['Transfer-Encoding: chunked'],
        body: (form) => `${form.length.toString(16)}\r\n${form}\r\n0\r\n\r\n`.replace(/^0\r\n\r\n/, ''),
      };
    case 'none':
      return { headers: none, body: () => '' };
    default:
      return {
        headers: [`Content-Length: ${as === 'long' ? `000${text.length}` : text.length}`],
        body: (form) => form,
      };
  }
};

/** A request by its head without the last line break, and its body. */
export type SampleRequest = { readonly head: string; readonly body: string };

export const sampleRequest: fc.Arbitrary<SampleRequest> = fc
  .tuple(requestLine, otherHeaders, form, framing)
  .map(([line, groups, text, as]) => {
    const { headers: framingHeaders, body } = framed(as, text);
    return { head: [line, ...groups.flat(), ...framingHeaders].join('\r\n'), body: body(text) };
  });

/** A request as this service mostly gets them. */
export const usualRequest = (dataCid: string, more: readonly string[] = []): SampleRequest => {
  const body = `data_cid=${dataCid}`;
  const head = [
    ...[lineOf('POST', '/api/v1/stamps', '1.1'), 'Host: h', `Authorization: Bearer ${keys.usual}`],
    ...[`Content-Type: ${formType}`, `Content-Length: ${body.length}`, ...more],
  ];
  return { head: head.join('\r\n'), body };
};

/** Requests of one connection, which ends with the last answer; cut where their bytes come apart. */
export const conversation: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.array(sampleRequest, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2_000), { maxLength: 3 }))
  .map(([requests, cuts]) => {
    const bytes = requests
      .map(({ head, body }, i) => `${head}${i === requests.length - 1 ? '\r\nConnection: close' : ''}\r\n\r\n${body}`)
      .join('');
    const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((one, other) => one - other), bytes.length];
    return places
      .slice(1)
      .map((to, i) => bytes.slice(places[i], to))
      .filter((piece) => piece !== '');
  });

export { cidEnding };
