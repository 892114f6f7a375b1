import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import {
  type Anyone,
  type ApiCaller,
  type Endpoint,
  type Param,
  type QuerySpec,
  type RouteGroup,
  routesOf,
} from '../route.ts';
import { ID } from '../schemas.ts';
import { componentSchemas, type JsonSchema, schemaOf } from './components.ts';
import {
  byStatus,
  cloudCodes,
  type Example,
  type ExampleRefs,
  errorSchemas,
  isAddition,
  localCodes,
  refusalContent,
  refusalExamples,
} from './refusals.ts';
import { sampleOf } from './samples.ts';

type Route = Pick<Endpoint<never>, 'method' | 'path' | 'about' | 'declared'>;

/** The differences between the documents of the two APIs. */
interface Api {
  readonly info: Document['info'];
  readonly security: Document['security'];
  readonly schemes: Document['components']['securitySchemes'];
  /** `true` if its POSTs take an Idempotency-Key, and its answers have rate limit headers. */
  readonly isCloud: boolean;
  codesOf(route: Route): ErrorCode[];
}

/** Builds the OpenAPI document of the cloud API from the schemas that validate it. The caller adds the server's URL. */
export function describe(sections: readonly RouteGroup<ApiCaller>[]): Document {
  return describeApi(sections, CLOUD);
}

/** Builds the document of the local API. */
export function describeLocal(sections: readonly RouteGroup<Anyone>[]): Document {
  return describeApi(sections, LOCAL);
}

const CLOUD: Api = {
  info: {
    title: 'Mail capture',
    // Generators take the version for that of a package.
    version: '1.0.0',
    description:
      'Test mailboxes: receive mail, read it, wait for it. Codes in x-local are additions of this server: the API document does ' +
      'not name them. So is 405 method_not_allowed, of any path.',
  },
  security: [{ key: [] }],
  schemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_ and 43 characters.' } },
  isCloud: true,
  codesOf: cloudCodes,
};

const LOCAL: Api = {
  info: {
    title: 'mailcap local API',
    version: '1.0.0',
    description:
      'The features of a dashboard, and those that only a local tool can offer. Tests that also run against the cloud do not need it. On ' +
      'loopback it needs no key, elsewhere it needs the admin token.',
  },
  security: [{}, { adminToken: [] }],
  schemes: { adminToken: { type: 'http', scheme: 'bearer', description: 'MAILCAP_ADMIN_TOKEN, off loopback.' } },
  isCloud: false,
  codesOf: localCodes,
};

function describeApi<Who>(sections: readonly RouteGroup<Who>[], api: Api): Document {
  const routes = routesOf(sections);
  const schemas = componentSchemas(routes.flatMap(bodiesOf));
  const paths: Record<string, Record<string, Operation>> = {};
  for (const { name, routes: described } of sections) {
    for (const route of described) {
      const path = templateOf(route.path);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, name, api, schemas) };
    }
  }
  const codes = [...new Set([...routes.flatMap((route) => api.codesOf(route)), 'method_not_allowed' as const])];
  return {
    openapi: '3.1.1',
    info: api.info,
    servers: [{ url: '/' }],
    security: api.security,
    tags: sections.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: { ...schemas, ...errorSchemas(codes) },
      examples: refusalExamples(codes),
      responses: { MethodNotAllowed: refused(405, ['method_not_allowed'], api, NO_ROUTE) },
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
  description: 'For 24 hours, a request with the same key gets the first answer again and is not run again',
  schema: { type: 'string', maxLength: MAX_KEY_LENGTH },
};

function operationOf(
  route: Route,
  heading: string,
  api: Api,
  schemas: Readonly<Record<string, JsonSchema>>,
): Operation {
  const { method, path, about, declared } = route;
  if (about === null) throw new Error(`${path} is a page, which no document describes`);
  const { id, summary, description, example, takes, gives, isOpen } = about;
  const { body, query, returns } = declared;
  const answers = Object.entries({ ...returns, ...(gives?.status !== undefined && { [gives.status]: null }) }).map(
    ([status, schema]) => {
      const content = contentOf(schema, gives?.type ?? 'application/octet-stream', schemas);
      return [status, answered(method, Number(status), api, content)];
    },
  );
  const refusals = byStatus(api.codesOf(route)).map(([status, codes]) => [status, refused(status, codes, api, route)]);
  const taken = body === undefined ? takes : ['application/json'];
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
        content: Object.fromEntries(taken.map((type) => [type, { schema, ...(example !== undefined && { example }) }])),
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
): OpenApiContent | undefined {
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
  return { name, in: 'path', required: true, description: isUlid ? 'ULID' : 'As an earlier answer gave it', schema };
}

function answered(method: string, status: number, api: Api, content: OpenApiContent | undefined): AnsweredStatus {
  const names = answerHeaders(method, status, api.isCloud);
  return {
    description: REASONS[status] ?? 'Refused',
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(content !== undefined && { content }),
  };
}

/** A request that no route serves. */
const NO_ROUTE = { method: 'GET', declared: { fails: [] } } as const;

function refused(
  status: number,
  codes: readonly ErrorCode[],
  api: Api,
  { method, declared }: { readonly method: string; readonly declared: Pick<Route['declared'], 'fails'> },
): AnsweredStatus {
  const additions = api.isCloud ? codes.filter((code) => isAddition(code, declared)) : [];
  return {
    ...answered(method, status, api, { 'application/json': refusalContent(codes) }),
    ...(additions.length > 0 && { 'x-local': additions }),
  };
}

const text: JsonSchema = { type: 'string' };
const whole: JsonSchema = { type: 'integer', format: 'int32' };

/** The descriptions of all answer headers. */
export const HEADERS = {
  'X-Request-Id': { description: 'The id of this request, as in the log', required: true, schema: text },
  'RateLimit-Limit': {
    description: 'Requests that the window allows; absent with limits off',
    required: false,
    schema: whole,
  },
  'RateLimit-Remaining': { description: 'Requests left in the window', required: false, schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the next window', required: false, schema: whole },
  'RateLimit-Policy': { description: 'The windows of the key and of the workspace', required: false, schema: text },
  'Retry-After': { description: 'Seconds to wait', required: false, schema: whole },
  'WWW-Authenticate': { description: 'Bearer', required: true, schema: text },
  'Idempotency-Replayed': {
    description: 'true: this is the stored answer to an earlier request',
    required: false,
    schema: text,
  },
} as const satisfies Record<string, OpenApiHeader>;

function answerHeaders(method: string, status: number, isCloud: boolean): (keyof typeof HEADERS)[] {
  const any = ['X-Request-Id'] as const;
  if (status === 401) return [...any, 'WWW-Authenticate'];
  // The server may fail before it counts the request, so there are no rate limit headers.
  if (status >= 500) return status === 503 ? [...any, 'Retry-After'] : [...any];
  if (!isCloud) return [...any];
  const limits = [...any, 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const;
  if (status === 429) return [...limits, 'Retry-After'];
  return method === 'POST' ? [...limits, 'Idempotency-Replayed'] : [...limits];
}

/** The reason phrases of the statuses. */
export const REASONS: Readonly<Record<number, string>> = {
  101: 'Switching protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  426: 'Upgrade required',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};

/** Returns the query parameters of a route. */
function queryParameters(spec: QuerySpec<unknown>): Parameter[] {
  return Object.entries<Param<unknown>>(spec).map(([name, param]) => ({
    name,
    in: 'query',
    required: param.isRequired === true,
    description: [param.about, param.kind === 'whole' ? 'outside the range it is clamped' : undefined]
      .filter((said) => said !== undefined)
      .join('; '),
    schema: parameterSchema(param),
  }));
}

function parameterSchema({ kind, min, max, fallback }: Param<unknown>): JsonSchema {
  switch (kind) {
    case 'whole':
      return {
        type: 'integer',
        format: 'int32',
        minimum: min,
        ...(max !== undefined && max < 2 ** 31 && { maximum: max }),
        default: fallback,
      };
    case 'time':
      return { type: 'string', format: 'date-time' };
    case 'ulid':
    case 'text':
    case 'flag':
    case 'list':
      return { type: 'string' };
  }
}

/** The part of OpenAPI 3.1 that is used here. */
export interface Document {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly responses: Readonly<Record<string, AnsweredStatus>>;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  /** The security of the operation, in place of the document's. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly requestBody?: { readonly required: boolean; readonly content: OpenApiContent };
  readonly responses: Readonly<Record<string, AnsweredStatus>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

interface OpenApiHeader {
  readonly description: string;
  /** `true` if the header is always present. */
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface AnsweredStatus {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: OpenApiContent;
  /** The codes that this server adds to those of the cloud (docs/api.md). */
  readonly 'x-local'?: readonly string[];
}

export type OpenApiContent = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: ExampleRefs;
}
