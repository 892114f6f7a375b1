import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import type { Anyone, Caller, Endpoint } from '../route.ts';
import { componentSchemas, type JsonSchema, schemaOf } from './components.ts';
import { HEADERS, headersOf, REASONS } from './headers.ts';
import { ID } from './limits.ts';
import { LOCAL_HEADINGS, LOCAL_OPERATIONS, unnamed } from './local-operations.ts';
import { type About, HEADINGS, OPERATIONS } from './operations.ts';
import { queryParameters } from './parameters.ts';
import {
  byStatus,
  cloudCodes,
  errorSchemas,
  isAddition,
  localCodes,
  refusalContent,
  refusalExamples,
} from './refusals.ts';
import { sampleOf } from './samples.ts';
import type { Answered, Content, Document, Operation, Parameter } from './shape.ts';

type Route = Pick<Endpoint<never>, 'method' | 'path' | 'declared'>;

/** The differences between the documents of the two APIs. */
interface Api {
  readonly info: Document['info'];
  readonly headings: Document['tags'];
  readonly security: Document['security'];
  readonly schemes: Document['components']['securitySchemes'];
  /** `true` if its POSTs take an Idempotency-Key, and its answers have rate limit headers. */
  readonly isCloud: boolean;
  about(row: string): About;
  codesOf(route: Route): ErrorCode[];
}

/** Builds the OpenAPI document of the cloud API from the schemas that validate it. The caller adds the server's URL. */
export function describe(routes: readonly Endpoint<Caller>[]): Document {
  return describeApi(routes, CLOUD);
}

/** Builds the document of the local API: every route below `/_mailcap`, without pages. */
export function describeLocal(routes: readonly Endpoint<Anyone>[]): Document {
  return describeApi(
    routes.filter(({ path }) => path.startsWith('/_mailcap/')),
    LOCAL,
  );
}

const CLOUD: Api = {
  info: {
    title: 'Mail capture',
    version: 'v1',
    description:
      'Test mailboxes: receive mail, read it, wait for it. Codes in x-local are additions of this server: the API document does ' +
      'not name them. So is 405 method_not_allowed, of any path.',
  },
  headings: HEADINGS,
  security: [{ key: [] }],
  schemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_ and 43 characters.' } },
  isCloud: true,
  about: (row) => {
    const about = OPERATIONS[row];
    if (about === undefined) throw new Error(`${row} is no row of the API document`);
    return about;
  },
  codesOf: cloudCodes,
};

const LOCAL: Api = {
  info: {
    title: 'mailcap local API',
    version: 'local',
    description:
      'What a dashboard does, and what only a local tool can do. No test that is to run against the cloud too needs it. On ' +
      'loopback it asks for no key, elsewhere for the admin token.',
  },
  headings: LOCAL_HEADINGS,
  security: [{}, { adminToken: [] }],
  schemes: { adminToken: { type: 'http', scheme: 'bearer', description: 'MAILCAP_ADMIN_TOKEN, off loopback.' } },
  isCloud: false,
  about: (row) => LOCAL_OPERATIONS[row] ?? unnamed(row),
  codesOf: localCodes,
};

function describeApi(routes: readonly Route[], api: Api): Document {
  const schemas = componentSchemas(routes.flatMap(bodiesOf));
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path, api, schemas) };
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const used = new Set(operations.flatMap(({ tags }) => tags));
  const codes = [...new Set([...routes.flatMap((route) => api.codesOf(route)), 'method_not_allowed' as const])];
  return {
    openapi: '3.1.1',
    info: api.info,
    servers: [{ url: '/' }],
    security: api.security,
    tags: api.headings.filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: { ...schemas, ...errorSchemas(codes) },
      examples: refusalExamples(codes),
      responses: { MethodNotAllowed: refused(405, ['method_not_allowed'], api, '') },
      headers: HEADERS,
      securitySchemes: api.schemes,
    },
  };
}

function bodiesOf({ declared: { body, returns } }: Route): z.ZodType[] {
  const answers: readonly unknown[] = Object.values(returns);
  return [body, ...answers].filter((one): one is z.ZodType => typeof one === 'object' && one !== null);
}

/** Converts a path such as `/v1/mailboxes/:mailboxId` to the template of the document. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Within 24 hours the same key gets the first answer again, and nothing is run twice',
  schema: { type: 'string', maxLength: MAX_KEY_LENGTH },
};

function operationOf(
  route: Route,
  template: string,
  api: Api,
  schemas: Readonly<Record<string, JsonSchema>>,
): Operation {
  const { method, path, declared } = route;
  const { id, heading, summary, description, example, takes, gives, isOpen } = api.about(`${method} ${template}`);
  const { body, query, returns } = declared;
  const answers = Object.entries({ ...returns, ...(gives?.status !== undefined && { [gives.status]: null }) }).map(
    ([status, schema]) => {
      const content = contentOf(schema, gives?.type ?? 'application/octet-stream', schemas);
      return [status, answered(method, Number(status), api, content)];
    },
  );
  const refusals = byStatus(api.codesOf(route)).map(([status, codes]) => [
    status,
    refused(status, codes, api, id, method),
  ]);
  const taken = body === undefined ? takes : 'application/json';
  const schema = body === undefined ? BYTES : schemaOf(body);
  return {
    operationId: id,
    tags: [heading],
    summary,
    ...(description !== undefined && { description }),
    ...(isOpen && { security: [{}] }),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
      ...(query === undefined ? [] : queryParameters(query)),
      ...(api.isCloud && method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(taken !== undefined && {
      requestBody: {
        required: !declared.bodyIsOptional,
        content: { [taken]: { schema, ...(example !== undefined && { example }) } },
      },
    }),
    responses: Object.fromEntries([...answers, ...refusals]),
  };
}

const BYTES: JsonSchema = { type: 'string', format: 'binary' };

function contentOf(
  schema: z.ZodType | 'bytes' | 'page' | null,
  bytesType: string,
  schemas: Readonly<Record<string, JsonSchema>>,
): Content | undefined {
  if (schema === null) return undefined;
  if (schema === 'bytes')
    return { [bytesType]: { schema: bytesType.startsWith('text/') ? { type: 'string' } : BYTES } };
  if (schema === 'page') return { 'text/html': { schema: { type: 'string' } } };
  const body = schemaOf(schema);
  return { 'application/json': { schema: body, example: sampleOf(body, schemas) } };
}

function pathParameter(name: string): Parameter {
  const isUlid = name !== 'attachmentId' && name !== 'token';
  const schema = { type: 'string', ...(isUlid && ID) };
  return { name, in: 'path', required: true, description: isUlid ? 'ULID' : 'As it was told', schema };
}

function answered(method: string, status: number, api: Api, content: Content | undefined): Answered {
  const names = headersOf(method, status, api.isCloud);
  return {
    description: REASONS[status] ?? 'Refused',
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content !== undefined && { content }),
  };
}

function refused(status: number, codes: readonly ErrorCode[], api: Api, id: string, method = 'GET'): Answered {
  const additions = api.isCloud ? codes.filter((code) => isAddition(id, code)) : [];
  return {
    ...answered(method, status, api, { 'application/json': refusalContent(codes) }),
    ...(additions.length > 0 && { 'x-local': additions }),
  };
}
