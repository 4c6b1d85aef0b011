import type { IncomingHttpHeaders } from 'node:http';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import formats from 'ajv-formats';
import type { ApiDocument, Operation, OperationId, Parameter } from './document.ts';
import { HttpError } from './errors.ts';

/** What of a request is checked against its operation. */
export type RequestParts = {
  readonly query: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** The value of a JSON body, which gets the defaults of the document. */
  readonly json?: unknown;
};

/** @throws HttpError 400 naming what does not fit the document, 404 for an id that is no UUID */
export type Validator = (operation: Operation, request: RequestParts) => void;

type Check = (request: RequestParts) => readonly ErrorObject[];

/** @throws Error for a schema of the document that cannot be compiled */
export function createValidator(document: ApiDocument): Validator {
  // Parameters are text.
  const texts = ajvOf({ coerceTypes: true });
  const bodies = ajvOf({ useDefaults: true });
  // Schemas refer to them.
  const { components } = document.copy();
  const checks = new Map<OperationId, Check>(document.operations.map((one) => [one.id, compile(one)]));

  function compile({ parameters, jsonSchema = {} }: Operation): Check {
    const of = (place: Parameter['in']) => schemaOf(parameters.filter((one) => one.in === place));
    const checkTexts = texts.compile({
      components,
      properties: { query: of('query'), headers: of('header'), params: of('path') },
    });
    const checkBody = bodies.compile({ components, properties: { body: jsonSchema } });
    return ({ query, headers, params, json }) => {
      checkTexts({ query: valuesOf(query, parameters), headers, params });
      checkBody({ body: json });
      return [...(checkTexts.errors ?? []), ...(checkBody.errors ?? [])];
    };
  }

  return (operation, request) => {
    for (const [name, value] of Object.entries(request.query)) {
      if (!operation.queryNames.has(name)) throw refusal([`${name}: Unknown query parameter '${name}'`]);
      if (value === '') throw refusal([`${name}: Empty value found for query parameter '${name}'`]);
    }
    const errors = checks.get(operation.id)?.(request) ?? [];
    if (errors.length > 0) throw faultOf(errors, operation);
  };
}

/** OpenAPI has keywords besides those of JSON Schema. */
function ajvOf(options: Options): Ajv {
  const ajv = new Ajv({ strict: false, validateSchema: false, ...options });
  formats.default(ajv);
  return ajv;
}

const schemaOf = (parameters: readonly Parameter[]) => ({
  type: 'object',
  required: parameters.filter((one) => one.required === true).map(nameOf),
  properties: Object.fromEntries(parameters.map((one) => [nameOf(one), one.schema])),
});

/** Node has the names of headers in lower case. */
const nameOf = (one: Parameter): string => (one.in === 'header' ? one.name.toLowerCase() : one.name);

/** Lists are comma-separated; booleans may also be numbers, in any case. */
const valuesOf = (
  query: Readonly<Record<string, string>>,
  parameters: readonly Parameter[],
): Record<string, string | readonly string[]> => {
  const types = new Map(parameters.map(({ name, schema }) => [name, schema.type]));
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (types.get(name) === 'array') return [name, value.split(',')];
      return [name, types.get(name) === 'boolean' ? (booleans.get(value.toLowerCase()) ?? value) : value];
    }),
  );
};

const booleans = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);

/** Each place by its name, then what is wrong there. */
function faultOf(errors: readonly ErrorObject[], { segments }: Operation): HttpError {
  const paths = errors.map(pathOf);
  // An id of another form is of nothing.
  if (paths.includes('/params/delivery_id')) return new HttpError(404, 'delivery not found');
  if (paths.includes('/params/id'))
    return new HttpError(404, segments[0] === 'webhooks' ? 'webhook not found' : 'stamp not found');
  return refusal([...new Set(errors.map((error, i) => `${placeOf(paths[i] ?? '')}: ${wordsFor(error)}`))]);
}

/** Names are the client's text, so they are cut. */
function refusal([first = '', ...others]: readonly string[]): HttpError {
  const details = others.join('; ').slice(0, 2_000);
  return new HttpError(400, first.slice(0, 500), details === '' ? {} : { details });
}

/** Of the value, or of the property that is missing or not known. */
const pathOf = ({ instancePath, params }: ErrorObject): string => {
  const property: unknown = params.missingProperty ?? params.additionalProperty;
  return property === undefined ? instancePath : `${instancePath}/${property}`;
};

/** `/body/cids/0` → `cids/0`; the body itself is `body`. */
const placeOf = (path: string): string => path.replace(/^\/(?:body|query|params|headers)\//, '').replace(/^\//, '');

function wordsFor({ keyword, message = '', params }: ErrorObject): string {
  // The patterns of texts name what they refuse: characters, as escapes.
  if (message.startsWith('must match pattern "^[^\\u0000-')) return 'must not contain control characters';
  return keyword === 'enum' ? `${message}: ${params.allowedValues.join(', ')}` : message;
}
