import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { loadDocument, type Operation } from '../src/api/edge/document.ts';
import { createRouter } from '../src/api/edge/routing.ts';

export type Answered = {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** Empty for HEAD. */
  readonly text: string;
};

type Documented = {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref?: string; readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, unknown>>;
};

/** Headers that say something of one operation's answer: each is documented where it comes. */
const telling = ['location', 'retry-after', 'www-authenticate', 'allow', 'deprecation', 'link'];
/** Headers of deprecated operations, which share their successors' responses: described once. */
const ofDeprecated = ['deprecation', 'link'];
const ndjson = 'application/x-ndjson';
const errorSchema = '/components/schemas/Error';

/**
 * Checks responses against the OpenAPI document, by operation and status: the status is listed, the body is JSON of its
 * schema, or JSON lines of it, without other keys, required headers are present, and telling ones documented. Responses
 * of no operation are errors.
 * @returns a function that throws an Error naming the fault
 */
export function createResponseCheck(): (answered: Answered) => void {
  const document = loadDocument();
  const route = createRouter(document);
  const root = closed(document.copy()) as object;
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(root, 'openapi');

  return (answered) => {
    const { method, url, status, headers } = answered;
    const operation = operationOf(method, new URL(url).pathname);
    const fail = (text: string): never => {
      throw new Error(`${method} ${url} → ${status}: ${text} (body: ${answered.text.slice(0, 500)})`);
    };
    if (operation === undefined) {
      if (status < 400) fail('is no operation of the document');
      checkBody(answered, errorSchema, fail);
      return;
    }
    const at = resolved(`${pointerOf(operation)}/responses/${status}`);
    const response = valueAt(at) as Documented | undefined;
    if (response === undefined) return fail('the document lacks this status');
    if (response.content === undefined) {
      if (answered.text !== '' || headers.has('content-type')) fail('has a body');
    } else if (ndjson in response.content) checkLines(answered, `${at}/content/application~1x-ndjson/schema`, fail);
    else checkBody(answered, `${at}/content/application~1json/schema`, fail);
    const documented = Object.entries(response.headers ?? {}).map(([name, header]) => ({
      name: name.toLowerCase(),
      required: (header.$ref === undefined ? header : (valueAt(header.$ref.slice(1)) as typeof header)).required,
    }));
    for (const { name, required } of documented)
      if (required === true && !headers.has(name)) fail(`lacks the header ${name}`);
    for (const name of telling)
      if (headers.has(name) && !documented.some((one) => one.name === name))
        if (operation.deprecation === undefined || !ofDeprecated.includes(name))
          fail(`the document lacks the header ${name}`);
  };

  function checkBody({ method, text, headers }: Answered, schema: string, fail: (text: string) => never): void {
    if (headers.get('content-type') !== 'application/json; charset=utf-8') fail('is not JSON by its Content-Type');
    if (method === 'HEAD') return;
    const validate = validatorOf(schema);
    if (!validate(JSON.parse(text))) fail(ajv.errorsText(validate.errors, { dataVar: 'body' }));
  }

  /** A body of JSON lines: each fits the schema. */
  function checkLines({ text, headers }: Answered, schema: string, fail: (text: string) => never): void {
    if (headers.get('content-type') !== `${ndjson}; charset=utf-8`) fail('is not JSON lines by its Content-Type');
    if (!text.endsWith('\n')) fail('does not end with the end of a line');
    const validate = validatorOf(schema);
    for (const line of text.slice(0, -1).split('\n'))
      if (!validate(JSON.parse(line))) fail(`${ajv.errorsText(validate.errors, { dataVar: 'line' })}: ${line}`);
  }

  function validatorOf(pointer: string): ValidateFunction {
    const found = ajv.getSchema(`openapi#${pointer}`);
    if (found === undefined) throw new Error(`the document has nothing at ${pointer}`);
    return found;
  }

  function operationOf(method: string, path: string): Operation | undefined {
    try {
      return route(method, path).operation;
    } catch {
      return undefined;
    }
  }

  function pointerOf(operation: Operation): string {
    const paths = (root as { paths: Record<string, Record<string, { operationId: string }>> }).paths;
    const method = operation.method.toLowerCase();
    const path = Object.keys(paths).find((one) => paths[one]?.[method]?.operationId === operation.id) as string;
    return `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`;
  }

  function resolved(pointer: string): string {
    const reference = (valueAt(pointer) as Documented | undefined)?.$ref;
    return reference === undefined ? pointer : reference.slice(1);
  }

  function valueAt(pointer: string): unknown {
    return pointer
      .slice(1)
      .split('/')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
  }
}

/** The document with every object closed: clients must accept new keys, our tests must not. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const isOpen = copy.type === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
