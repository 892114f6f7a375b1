import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import * as checks from '../src/http/local/checks.ts';
import * as faults from '../src/http/local/faults.ts';
import * as messages from '../src/http/local/messages.ts';
import * as outbound from '../src/http/local/outbound.ts';
import * as outgoing from '../src/http/local/outgoing-webhooks.ts';
import * as local from '../src/http/local/schemas.ts';
import * as search from '../src/http/local/search.ts';
import * as webhooks from '../src/http/local/webhooks.ts';
import { templateOf } from '../src/http/openapi/document.ts';
import { cloudOperations, localOperations } from '../src/http/operations.ts';
import type { Param } from '../src/http/query.ts';
import { type Endpoint, routesOf } from '../src/http/route.ts';
import * as resources from '../src/http/schemas.ts';
import * as webhookResources from '../src/http/webhook-schemas.ts';

const CONNECTION = join(import.meta.dirname, '..', 'src', 'client', 'connection');

const SCHEMAS = { checks, faults, messages, outbound, outgoing, local, search, webhooks };
const FILES = {
  checks: 'checks',
  faults: 'faults',
  messages: 'messages',
  outbound: 'outbound',
  outgoing: 'outgoing-webhooks',
  local: 'schemas',
  search: 'search',
  webhooks: 'webhooks',
} as const satisfies Record<keyof typeof SCHEMAS, string>;

type Route = Pick<Endpoint<never>, 'method' | 'path' | 'about' | 'declared'>;

/** A generated module: its path and its formatted source. */
export type Module = readonly [path: string, source: string];

/** Returns the generated modules of the client: what its calls need to know of each operation, and their answers. */
export function clientModules(): Module[] {
  // The client follows the feed with code of its own, so that route is left out.
  const all: readonly Route[] = [...routesOf(cloudOperations), ...routesOf(localOperations)];
  const routes = all.filter(({ about }) => about?.gives?.status === undefined);
  const imports = Object.entries(FILES).map(
    ([alias, file]) => `import type * as ${alias} from '../../http/local/${file}.ts';`,
  );
  const operations = `
import { number, text, time } from '../options/check-options.ts';
import type { CalledOperation } from './operation.ts';

// This module is generated from the operations of the server: npm run docs.

/** The operations of both APIs, by the names of their OpenAPI documents. */
export const OPERATIONS = {
${routes.map((route) => `  ${route.about?.id}: ${entryOf(route)},`).join('\n')}
} as const satisfies Record<string, CalledOperation>;

export type OperationId = keyof typeof OPERATIONS;
`;
  const answers = `
${imports.join('\n')}
import type { z } from 'zod';
import type * as api from './resources.ts';

// This module is generated from the operations of the server: npm run docs.

/** The answer of each operation, after it is parsed. */
export interface Answers {
${routes.map((route) => `  ${route.about?.id}: ${answerOf(route)};`).join('\n')}
}
`;
  return [formatted(join(CONNECTION, 'operations.ts'), operations), formatted(join(CONNECTION, 'answers.ts'), answers)];
}

function formatted(path: string, source: string): Module {
  const biome = join(import.meta.dirname, '..', 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const command = [biome, 'check', '--write', `--stdin-file-path=${path}`];
  return [path, execFileSync(process.execPath, command, { input: source, encoding: 'utf8' })];
}

function entryOf({ method, path, about, declared: { query, body, returns } }: Route): string {
  const kinds = Object.entries<Param<unknown>>(query ?? {}).map(([name, { kind }]) => `${name}: ${CHECKS[kind]}`);
  const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : [];
  const facts = [`method: '${method}'`, `path: '${templateOf(path)}'`];
  facts.push(`gives: '${readingOf(returns, about?.gives?.type)}'`);
  if (kinds.length > 0) facts.push(`query: { ${kinds.join(', ')} }`);
  if (fields.length > 0) facts.push(`body: [${fields.map((name) => `'${name}'`).join(', ')}]`);
  return `{ ${facts.join(', ')} }`;
}

/** The client's check of each kind of query parameter. */
const CHECKS = { whole: 'number', time: 'time', text: 'text', ulid: 'text' } as const satisfies Record<
  Param<unknown>['kind'],
  string
>;

function readingOf(returns: Route['declared']['returns'], type: string | undefined): string {
  const answers: readonly unknown[] = Object.values(returns);
  if (answers.includes('page') || type?.startsWith('text/')) return 'text';
  if (answers.includes('bytes')) return 'bytes';
  if (answers.every((schema) => schema === null)) return 'nothing';
  return answers.includes(null) ? 'jsonOrNull' : 'json';
}

function answerOf({ declared: { returns }, about }: Route): string {
  const reading = readingOf(returns, about?.gives?.type);
  if (reading === 'text') return 'string';
  if (reading === 'bytes') return 'Uint8Array<ArrayBuffer>';
  if (reading === 'nothing') return 'undefined';
  const answers: readonly unknown[] = Object.values(returns);
  const types = answers.map((schema) => (schema instanceof z.ZodType ? typeOf(schema) : 'null'));
  return types.join(' | ');
}

function typeOf(schema: z.core.$ZodType): string {
  const known = NAMES.get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodArray) return `${typeOf(schema.element)}[]`;
  if (schema instanceof z.ZodUnion) return schema.options.map(typeOf).join(' | ');
  return 'unknown';
}

const NAMES = new Map<z.core.$ZodType, string>([
  ...Object.entries(SCHEMAS).flatMap(([alias, module]) =>
    schemasIn(module).map(([name, schema]) => [schema, `z.infer<typeof ${alias}.${name}>`] as const),
  ),
  // The client exports these types under the same names.
  ...[resources, webhookResources].flatMap((module) =>
    schemasIn(module).map(([name, schema]) => [schema, `api.${name}`] as const),
  ),
]);

function schemasIn(module: object): [string, z.ZodType][] {
  return Object.entries(module).filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType);
}
