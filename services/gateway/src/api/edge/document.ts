import { readFileSync } from 'node:fs';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { parse } from 'yaml';
import type { operations } from '../generated/openapi.ts';

export type OperationId = keyof operations;
export type Scope = 'read' | 'stamp';

/** An operation of the OpenAPI document, which is the single source of paths, methods, scopes and schemas. */
export type Operation = {
  readonly id: OperationId;
  readonly method: string;
  /** Without the version prefix; `{name}` is a parameter. */
  readonly segments: readonly string[];
  /** Those that a key must have, all of them. */
  readonly scopes: readonly Scope[];
  /** Names of its query parameters. */
  readonly queryNames: ReadonlySet<string>;
  /** Of those, which are `true` or `false`. */
  readonly booleanNames: ReadonlySet<string>;
  /** Content types of its body; empty when it takes none. */
  readonly bodyTypes: readonly string[];
  /** Its body, JSON as well, is read and checked by the operation as it streams (`x-streamed`). */
  readonly streamed: boolean;
  /** Of a deprecated operation: since when (seconds since 1970), and the path that replaces it. */
  readonly deprecation: { readonly since: number; readonly successor: string } | undefined;
};

/** By name; fields that are no text, or content, have no length of their own. */
export type FormFields = ReadonlyMap<string, { readonly maxLength: number | undefined }>;

export type ApiDocument = {
  /** For express-openapi-validator, which changes what it is given: a copy each time. */
  readonly copy: () => OpenAPIV3.DocumentV3;
  /** Of the server's URL: what every path begins with. */
  readonly prefix: string;
  readonly operations: readonly Operation[];
  /** The fields of a form's schema under components, each with how many characters a text may have. */
  readonly fieldsOf: (schema: string) => FormFields;
};

type OpenApi = {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentedSchema>> };
};
type DocumentedSchema = { readonly properties?: Readonly<Record<string, { readonly maxLength?: number }>> };
type DocumentedOperation = {
  readonly operationId: OperationId;
  readonly 'x-scope': Scope | readonly Scope[];
  readonly 'x-streamed'?: boolean;
  readonly 'x-deprecated'?: { readonly since: string; readonly successor: string };
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema?: { readonly type?: string };
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
};

const location = new URL('../../../openapi/indelible.yaml', import.meta.url);

export function loadDocument(): ApiDocument {
  const document = parse(readFileSync(location, 'utf8')) as OpenApi;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Operation => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        segments: path.replace(/^\/|\/$/g, '').split('/'),
        scopes: [operation['x-scope']].flat() as readonly Scope[],
        queryNames: new Set((operation.parameters ?? []).filter((one) => one.in === 'query').map((one) => one.name)),
        booleanNames: new Set(
          (operation.parameters ?? []).filter((one) => one.schema?.type === 'boolean').map((one) => one.name),
        ),
        bodyTypes: Object.keys(operation.requestBody?.content ?? {}),
        streamed: operation['x-streamed'] === true,
        deprecation: deprecationOf(operation),
      }),
    ),
  );
  return {
    // By way of JSON: what the source shares between operations is a copy for each of them.
    copy: () => JSON.parse(JSON.stringify(document)) as OpenAPIV3.DocumentV3,
    prefix: (document.servers[0] as { url: string }).url,
    operations,
    fieldsOf: (schema) =>
      new Map(
        Object.entries(document.components.schemas[schema]?.properties ?? {}).map(([name, { maxLength }]) => [
          name,
          { maxLength },
        ]),
      ),
  };
}

const deprecationOf = ({ 'x-deprecated': deprecated }: DocumentedOperation): Operation['deprecation'] =>
  deprecated && { since: Date.parse(deprecated.since) / 1000, successor: deprecated.successor };
