import { cidOfContent } from '@indelible/identifiers';
import type { ApiDocument } from '../src/api/edge/document.ts';

/** A request byte for byte, below the API's prefix, without a key. */
export type Sent = {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
  readonly headers?: string;
};

/** A place in an operation's requests that accepts any text. */
export type TextPlace = {
  /** Such as `createCollection application/json description`. */
  readonly name: string;
  /** What a 400 calls it. */
  readonly field: string;
  /** Content, and headers with known words only: any text is accepted. */
  readonly isFree: boolean;
  /** JSON says lone surrogates by escapes; nothing else can. */
  readonly isJson: boolean;
  readonly request: (text: string) => Sent;
};

type Schema = {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly example?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-content'?: boolean;
};
type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
};
type Documented = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
};

export const cid = cidOfContent('any text');
const time = '2026-01-01T00:00:00Z';
const uuid = '0198f2c4-7b1e-4c3a-9d52-6e0f8a1b2c3d';
const urlencoded = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data';

/** Other required parts of a request, where the document has no example. */
const samples: Readonly<Record<string, unknown>> = {
  ...{ id: uuid, delivery_id: uuid, user_address: `0x${'11'.repeat(20)}` },
  ...{
    url: 'https://example.com/',
    cid,
    data_cid: cid,
    timestamp: time,
    since: time,
    objects: [{ cid, timestamp: time }],
  },
};
type Companions = (field: string) => Readonly<Record<string, string>>;
const besideInStamp: Companions = (field) => {
  if (field === 'data_cid' || field === 'data') return {};
  return field === 'file_name' ? { data: 'any text', store_stamped_file: '0' } : { data_cid: cid };
};
const besideInUpload: Companions = (field) => ({
  ...{ data: 'x', file_name: 'n' },
  ...(field === 'collection_cid' ? {} : { collection_name: 'none' }),
});
/** Of forms: what goes with a field, so that it is looked at. */
const companions: Readonly<Record<string, Companions>> = {
  createStamp: besideInStamp,
  createStampDeprecated: besideInStamp,
  uploadStampedFile: besideInUpload,
};
/** Of queries: events come as a page at once. */
const queries: Readonly<Record<string, Readonly<Record<string, string>>>> = { listEvents: { wait: '0' } };

/** Escapes all but letters and digits, so that nothing is taken for form syntax. */
export const percent = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
export const part = (name: string, value: string, more = ''): string =>
  `--XX\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const quoted = (text: string): string => text.replace(/\\/g, '\\\\').replace(/"/g, '\\"');
const inCsv = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Every parameter and field of every operation in the document. @throws Error for a place without a known request */
export function textPlacesOf(document: ApiDocument): readonly TextPlace[] {
  const { paths = {}, components } = document.copy();
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : resolved(schemas[schema.$ref.split('/').at(-1) as string] as Schema);

  /** The fields of a schema by their paths; `[]` is an element of an array. */
  function fieldsOf(given: Schema, path: readonly string[] = []): [readonly string[], Schema][] {
    const schema = resolved(given);
    if (schema.items !== undefined) return fieldsOf(schema.items, [...path, '[]']);
    if (schema.properties === undefined) return [[path, schema]];
    return Object.entries(schema.properties).flatMap(([name, inner]) => fieldsOf(inner, [...path, name]));
  }

  function sampleOf(name: string, given: Schema): unknown {
    const schema = resolved(given);
    if (name in samples) return samples[name];
    if (schema.properties !== undefined) return requiredOf(schema);
    if (schema.items !== undefined) return [sampleOf(name, schema.items)];
    const sample = schema.example ?? schema.enum?.[0];
    if (sample === undefined) throw new Error(`no example of ${name}`);
    return sample;
  }
  const requiredOf = ({ required = [], properties = {} }: Schema): Record<string, unknown> =>
    Object.fromEntries(required.map((name) => [name, sampleOf(name, properties[name] as Schema)]));

  /** The smallest value of the schema that has the text at the path. */
  function valueWith(given: Schema, [head, ...rest]: readonly string[], text: string): unknown {
    const schema = resolved(given);
    if (head === undefined) return text;
    if (head === '[]') return [valueWith(schema.items as Schema, rest, text)];
    return { ...requiredOf(schema), [head]: valueWith(schema.properties?.[head] as Schema, rest, text) };
  }

  function placesOf(template: string, method: string, operation: Documented): TextPlace[] {
    const { operationId: id, parameters = [], requestBody } = operation;
    const filled = (name?: string, text = ''): string =>
      template.replace(/\{(\w+)\}/g, (_, one: string) => (one === name ? percent(text) : String(samples[one])));
    const content = Object.entries(requestBody?.content ?? {});
    const body = sampleBody(id, requestBody);

    const ofParameters = parameters.map(({ in: where, name, schema }): TextPlace => {
      const others = Object.entries(queries[id] ?? {}).filter(([other]) => other !== name);
      const query = (own?: string): string => {
        const pairs = [...others.map(([other, value]) => `${other}=${value}`), ...(own === undefined ? [] : [own])];
        return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
      };
      return {
        name: `${id} ${where} ${name}`,
        field: name,
        isFree:
          where === 'path' || (where === 'header' && ['Prefer', 'Accept'].includes(name) && schema.type === 'string'),
        isJson: false,
        request: (text) => ({
          ...{ method, ...body },
          path:
            where === 'path'
              ? filled(name, text)
              : `${filled()}${query(where === 'query' ? `${name}=${percent(text)}` : undefined)}`,
          ...(where === 'header' && { headers: `${name}: ${Buffer.from(text).toString('latin1')}\r\n` }),
        }),
      };
    });
    const ofBodies = content.flatMap(([one, { schema }]) =>
      bodies(id, one, schema).map(
        ({ field, isFree, request }): TextPlace => ({
          name: `${id} ${one} ${field}`,
          field,
          isFree,
          isJson: /json/.test(one),
          request: (text) => ({ method, path: filled(), ...request(text) }),
        }),
      ),
    );
    return [...ofParameters, ...ofBodies];
  }

  /** The smallest body that an operation takes. */
  function sampleBody(id: string, requestBody: Documented['requestBody']): Pick<Sent, 'type' | 'body'> {
    const schemaOf = (type: string): Schema | undefined => requestBody?.content[type]?.schema;
    if (requestBody === undefined) return {};
    if (schemaOf(urlencoded) !== undefined)
      return { type: urlencoded, body: new URLSearchParams(companions[id]?.('')).toString() };
    const type = ['application/json', 'application/x-ndjson'].find((one) => schemaOf(one) !== undefined);
    if (type === undefined) return fail(`a parameter of ${id}`);
    const schema = resolved(schemaOf(type) as Schema);
    const [first = ''] = Object.keys(schema.properties ?? {});
    const required = schema.required === undefined ? { ...schema, required: [first] } : schema;
    return { type, body: `${JSON.stringify(requiredOf(required))}\n` };
  }

  type BodyPlace = Pick<TextPlace, 'field' | 'isFree'> & {
    readonly request: (text: string) => { readonly type: string; readonly body: string };
  };
  function bodies(id: string, type: string, schema: Schema): BodyPlace[] {
    switch (type) {
      case 'application/json':
      case 'application/x-ndjson':
      case 'application/jsonl':
        return fieldsOf(schema).map(([path]) => ({
          field: path.filter((name) => name !== '[]').at(-1) as string,
          isFree: false,
          request: (text) => ({ type, body: `${JSON.stringify(valueWith(schema, path, text))}\n` }),
        }));
      case urlencoded:
      case multipart:
        return fieldsOf(schema).flatMap(([[field = ''], { format, 'x-content': isContent }]) => {
          if (format === 'binary') return type === multipart ? files(id, field) : [];
          const others = Object.entries(companions[id]?.(field) ?? fail(`${id} ${type} ${field}`)).filter(
            ([one]) => one !== field,
          );
          const fields = (text: string): [string, string][] => [[field, text], ...others];
          return [
            {
              field,
              isFree: isContent === true,
              request: (text) => ({
                type: type === multipart ? `${type}; boundary=XX` : type,
                body:
                  type === multipart
                    ? `${fields(text)
                        .map(([name, value]) => part(name, value))
                        .join('')}--XX--\r\n`
                    : fields(text)
                        .map(([name, value]) => `${name}=${percent(value)}`)
                        .join('&'),
              }),
            },
          ];
        });
      case 'text/csv':
        return [
          ['timestamp', (text: string) => `t,c\n${inCsv(text)},${cid}\n`],
          ['cid', (text: string) => `t,c\n${time},${inCsv(text)}\n`],
          ['file_name', (text: string) => `t,c,f\n${time},${cid},${inCsv(text)}\n`],
          ['collection_name', (text: string) => `collection_name,user_address\n${inCsv(text)},\nt,c\n${time},${cid}\n`],
          ['user_address', (text: string) => `collection_name,user_address\n,${inCsv(text)}\nt,c\n${time},${cid}\n`],
          [
            'collection_timezone',
            (text: string) =>
              `collection_name,user_address,collection_timezone\n,,${inCsv(text)}\nt,c\n${time},${cid}\n`,
          ],
        ].map(([field, body]) => ({
          field: field as string,
          isFree: false,
          request: (text) => ({ type, body: (body as (text: string) => string)(text) }),
        }));
      default:
        return fail(`${id} ${type}`);
    }
  }
  /** A file's name, and what is in it. */
  const files = (id: string, field: string): BodyPlace[] => {
    const type = `${multipart}; boundary=XX`;
    const others = Object.entries(companions[id]?.(field) ?? {}).filter(([one]) => !/^data|file_name/.test(one));
    const rest = others.map(([name, value]) => part(name, value)).join('');
    return [
      {
        field,
        isFree: false,
        request: (text) => ({ type, body: `${rest}${part(field, 'x', `; filename="${quoted(text)}"`)}--XX--\r\n` }),
      },
      ...(id === 'verifyCollection' ? ['any.csv', 'any.json'] : ['any.txt']).map((name) => ({
        field,
        isFree: true,
        request: (text: string) => ({ type, body: `${rest}${part(field, text, `; filename="${name}"`)}--XX--\r\n` }),
      })),
    ];
  };

  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, Documented>>).flatMap(([verb, operation]) =>
      placesOf(path, verb.toUpperCase(), operation),
    ),
  );
}

function fail(place: string): never {
  throw new Error(`no request is known that has text in ${place}`);
}
