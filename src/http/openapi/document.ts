import type { z } from 'zod';
import type { ErrorCode } from '../../domain/errors.ts';
import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import type { Anyone, ApiCaller, Endpoint } from '../route.ts';
import { routesOf, type Section } from '../section.ts';
import { componentSchemas, type JsonSchema, schemaOf } from './components.ts';
import { answerHeaders, HEADERS, REASONS } from './headers.ts';
import { ID } from './limits.ts';
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
import type { AnsweredStatus, Document, OpenApiContent, Operation, Parameter } from './shape.ts';

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
export function describe(sections: readonly Section<ApiCaller>[]): Document {
  return describeApi(sections, CLOUD);
}

/** Builds the document of the local API. */
export function describeLocal(sections: readonly Section<Anyone>[]): Document {
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

function describeApi<Who>(sections: readonly Section<Who>[], api: Api): Document {
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
