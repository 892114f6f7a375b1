import { MAX_KEY_LENGTH } from '../../domain/idempotency.ts';
import type { Caller, Endpoint } from '../route.ts';
import { componentSchemas, type JsonSchema, schemaOf } from './components.ts';
import { HEADINGS, OPERATIONS } from './operations.ts';
import { queryParameters } from './parameters.ts';
import { byStatus, codesOf, refusalContent } from './refusals.ts';
import type { Answered, Document, Header, Operation, Parameter } from './shape.ts';

/** The OpenAPI document of the routes, from the schemas that validate them. Where they are served is for the server to say. */
export function describe(routes: readonly Endpoint<Caller>[]): Document {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const path = templateOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, path) };
  }
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  return {
    openapi: '3.1.1',
    info: { title: 'Mail capture', version: 'v1', description: 'Test mailboxes: receive mail, read it, wait for it.' },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: HEADINGS.filter(({ name }) => used.has(name)),
    paths,
    components: { schemas: componentSchemas(), headers: HEADERS, securitySchemes: { key: KEY } },
  };
}

const KEY = { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_ and 43 characters.' };

const text: JsonSchema = { type: 'string' };
const whole: JsonSchema = { type: 'integer', format: 'int32' };

const HEADERS = {
  'X-Request-Id': { description: 'This request’s id, as in the log', required: true, schema: text },
  'RateLimit-Limit': {
    description: 'Requests in the window; left out with limits off',
    required: false,
    schema: whole,
  },
  'RateLimit-Remaining': { description: 'Requests left in it', required: false, schema: whole },
  'RateLimit-Reset': { description: 'Seconds until the next window', required: false, schema: whole },
  'RateLimit-Policy': { description: 'The windows of the key and of the workspace', required: false, schema: text },
  'Retry-After': { description: 'Seconds to wait', required: false, schema: whole },
  'WWW-Authenticate': { description: 'Bearer', required: true, schema: text },
  'Idempotency-Replayed': { description: 'true: repeated from the record', required: false, schema: text },
} as const satisfies Record<string, Header>;

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Within 24 hours the same key gets the first answer again, and nothing is run twice',
  schema: { type: 'string', maxLength: MAX_KEY_LENGTH },
};

/** `/v1/mailboxes/:mailboxId` as the document writes it. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function operationOf({ method, path, declared }: Endpoint<Caller>, template: string): Operation {
  const about = OPERATIONS[`${method} ${template}`];
  if (about === undefined) throw new Error(`${method} ${template} is no row of the API document`);
  const { id, heading, summary, description, example } = about;
  const { body, query, returns, fails } = declared;
  const answers = Object.entries(returns).map(([status, schema]) => [
    status,
    answered(method, Number(status), schema === null || typeof schema === 'string' ? null : schemaOf(schema)),
  ]);
  const refusals = byStatus(codesOf(method, path, body !== undefined, fails)).map(([status, codes]) => [
    status,
    { ...answered(method, status, null), content: { 'application/json': refusalContent(codes) } },
  ]);
  return {
    operationId: id,
    tags: [heading],
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
      ...(query === undefined ? [] : queryParameters(query)),
      ...(method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(body), ...(example !== undefined && { example }) } },
      },
    }),
    responses: Object.fromEntries([...answers, ...refusals]),
  };
}

function pathParameter(name: string): Parameter {
  return { name, in: 'path', required: true, description: 'ULID', schema: { type: 'string' } };
}

function answered(method: string, status: number, schema: JsonSchema | null): Answered {
  const names = ['X-Request-Id', ...headersOf(method, status)];
  return {
    description: REASONS[status] ?? 'Refused',
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(schema !== null && { content: { 'application/json': { schema } } }),
  };
}

function headersOf(method: string, status: number): (keyof typeof HEADERS)[] {
  if (status === 401) return ['WWW-Authenticate'];
  // A failure may come before the request was counted.
  if (status >= 500) return status === 503 ? ['Retry-After'] : [];
  const limits = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const;
  if (status === 429) return [...limits, 'Retry-After'];
  return method === 'POST' ? [...limits, 'Idempotency-Replayed'] : [...limits];
}

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  400: 'Bad request',
  401: 'Unauthorized',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};
