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
  /** All of these are required of a key. */
  readonly scopes: readonly Scope[];
  /** Names of its query parameters. */
  readonly queryNames: ReadonlySet<string>;
  /** Which of these are booleans. */
  readonly booleanNames: ReadonlySet<string>;
  /** Content types of its body; empty when it takes none. */
  readonly bodyTypes: readonly string[];
  /** The operation reads and checks its body, even JSON, while it streams (`x-streamed`). */
  readonly streamed: boolean;
  /** For a deprecated operation: since when (seconds since 1970), and its replacement's path. */
  readonly deprecation: { readonly since: number; readonly successor: string } | undefined;
};

/** By name; fields that are not text, and content, have no length. */
export type FormFields = ReadonlyMap<string, { readonly maxLength: number | undefined }>;

export type ApiDocument = {
  /** For express-openapi-validator, which modifies its input: a new copy each time. */
  readonly copy: () => OpenAPIV3.DocumentV3;
  /** Path prefix from the server's URL. */
  readonly prefix: string;
  readonly operations: readonly Operation[];
  /** Fields of a form schema under components, with the maximum length of text fields. */
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
    // Through JSON, so that operations share no objects of the source.
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
