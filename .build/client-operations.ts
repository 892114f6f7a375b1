import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { templateOf } from '../src/http/openapi/document.ts';
import { cloudOperations, localOperations } from '../src/http/operations.ts';
import { type Endpoint, type Param, routesOf } from '../src/http/route.ts';
import { BODIES, NOTES, OVERLOADS, UNCALLED } from './client-signatures.ts';

const CONNECTION = join(import.meta.dirname, '..', 'src', 'client', 'connection');

export type Route = Pick<Endpoint<never>, 'method' | 'path' | 'about' | 'declared'>;

/** A generated module: its path and its formatted source. */
export type Module = readonly [path: string, source: string];

/** Returns the generated modules of the client: the facts of each operation that a call needs, and the typed calls. */
export async function clientModules(): Promise<Module[]> {
  const [cloud, local] = [called(routesOf(cloudOperations)), called(routesOf(localOperations))];
  const all = [...cloud, ...local];
  const names = await namesOfAnswers();
  const operations = `
// This module is generated from the operations of the server: npm run docs.

/** The facts of an operation that a call of it needs. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path with its parameters in braces. */
  readonly path: string;
  /** The form in which the answer is read: \`jsonOrNull\` is null if the answer has no body. */
  readonly gives: 'json' | 'jsonOrNull' | 'nothing' | 'bytes' | 'text';
  /** The form of the body, if there is one. */
  readonly takes?: 'json' | 'message';
  /** Tells that it has query parameters. */
  readonly asks?: true;
}

/** The kind of a query parameter. */
export type ParameterKind = 'number' | 'text' | 'time' | 'flag' | 'list';

/** The operations of the cloud API, by the names of its OpenAPI document. */
export const CLOUD_OPERATIONS = {
${cloud.map((route) => `  ${idOf(route)}: ${factsOf(route)},`).join('\n')}
} as const satisfies Readonly<Record<string, Operation>>;

/** The operations of the local API, by the names of its OpenAPI document. */
export const LOCAL_OPERATIONS = {
${local.map((route) => `  ${idOf(route)}: ${factsOf(route)},`).join('\n')}
} as const satisfies Readonly<Record<string, Operation>>;

/** The kinds of the query parameters of each operation that has some. */
export const QUERIES = {
${all.map(kindsOf).join('')}} as const satisfies Readonly<Record<string, Readonly<Record<string, ParameterKind>>>>;

/** The seconds for which the server holds a request whose query has no \`timeout\`. */
export const HELD_SECONDS = {
${all.map(heldOf).join('')}} as const satisfies Readonly<Record<string, number>>;

${all.map((route) => sharedFieldsOf(route, all)).join('')}
/** The names of the fields of each body that is an object, by the name of its operation. */
export const BODIES = {
${all.map((route) => fieldsOf(route, all)).join('')}} as const satisfies Readonly<Record<string, readonly string[]>>;
`;
  const calls = `
import type { Bytes, CallOptions } from '../transport/transport.ts';
import type * as local from './local-resources.ts';
import type * as api from './resources.ts';

// This module is generated from the operations of the server: npm run docs.

/**
 * Every operation of the cloud API (docs/api.md), by its name. A call takes the ids of its path, then its body, then its
 * query, then \`timeout\` and \`signal\`. It throws a RefusedError with the code of the refusal, such as \`not_found\`.
 */
export interface CloudApi {
${cloud.map((route) => callOf(route, names)).join('\n')}
}

/**
 * Every operation of the local API (docs/api.md), by its name: what a dashboard does in the cloud, and what only a local
 * server can do. The calls are like those of the cloud API. Each throws a LocalOnlyError with its name if the server has
 * no local API.
 */
export interface LocalApi {
${local.map((route) => callOf(route, names)).join('\n')}
}

${all.map((route) => queryOf(route, all)).join('\n')}
`;
  return [formatted(join(CONNECTION, 'operations.ts'), operations), formatted(join(CONNECTION, 'calls.ts'), calls)];
}

export function called(routes: readonly Route[]): readonly Route[] {
  return routes.filter((route) => !Object.hasOwn(UNCALLED, idOf(route)));
}

export function idOf({ about }: Route): string {
  return about?.id ?? '';
}

export function formatted(path: string, source: string): Module {
  const biome = join(import.meta.dirname, '..', 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const command = [biome, 'check', '--write', `--stdin-file-path=${path}`];
  return [path, execFileSync(process.execPath, command, { input: source, encoding: 'utf8' })];
}

function factsOf(route: Route): string {
  const { method, path, about, declared } = route;
  return `{ ${[
    `method: '${method}'`,
    `path: '${templateOf(path)}'`,
    `gives: '${readingOf(declared.returns, about?.gives?.type)}'`,
    ...(about?.takes === undefined ? (declared.body === undefined ? [] : ["takes: 'json'"]) : ["takes: 'message'"]),
    ...(paramsOf(route).length > 0 ? ['asks: true'] : []),
  ].join(', ')} }`;
}

function kindsOf(route: Route): string {
  const kinds = paramsOf(route).map(([name, { kind }]) => `${name}: '${KINDS[kind].check}'`);
  return kinds.length === 0 ? '' : `  ${idOf(route)}: { ${kinds.join(', ')} },\n`;
}

function heldOf(route: Route): string {
  const [, timeout] = paramsOf(route).find(([name]) => name === 'timeout') ?? [];
  return timeout === undefined ? '' : `  ${idOf(route)}: ${timeout.fallback},\n`;
}

function fieldsOf(route: Route, all: readonly Route[]): string {
  const fields = namesOf(route);
  const first = firstWithFieldsOf(route, all);
  if (first !== null) return `  ${idOf(route)}: ${sharedNameOf(first)},\n`;
  return fields.length === 0 ? '' : `  ${idOf(route)}: ${listOf(fields)},\n`;
}

/** Writes the fields that other operations have too, where it is the first of them. */
function sharedFieldsOf(route: Route, all: readonly Route[]): string {
  if (firstWithFieldsOf(route, all) !== route) return '';
  return `/** The fields of \`${idOf(route)}\`, which others have too. */\nconst ${sharedNameOf(route)} = ${listOf(namesOf(route))} as const;\n`;
}

/** The least fields that are worth a name where several operations have them. */
const WORTH_A_NAME = 6;

/** Returns the first operation with the same fields; null if no other has them, or they are few. */
function firstWithFieldsOf(route: Route, all: readonly Route[]): Route | null {
  const fields = listOf(namesOf(route));
  const same = all.filter((other) => listOf(namesOf(other)) === fields);
  return same.length > 1 && namesOf(route).length >= WORTH_A_NAME ? (same[0] ?? null) : null;
}

function sharedNameOf(route: Route): string {
  return idOf(route).replace(/[A-Z]/g, '_$&').toUpperCase();
}

/** Returns the names of the fields of a body that has no others. */
export function namesOf({ declared: { body } }: Route): string[] {
  return body instanceof z.ZodObject ? Object.keys(body.shape) : [];
}

export function listOf(names: readonly string[]): string {
  return `[${names.map((name) => `'${name}'`).join(', ')}]`;
}

export function paramsOf({ declared }: Route): [string, Param<unknown>][] {
  return Object.entries<Param<unknown>>(declared.query ?? {});
}

/** The client's check and type of each kind of query parameter. */
export const KINDS = {
  whole: { check: 'number', type: 'number' },
  time: { check: 'time', type: 'string | Date' },
  text: { check: 'text', type: 'string' },
  ulid: { check: 'text', type: 'string' },
  flag: { check: 'flag', type: 'boolean' },
  list: { check: 'list', type: 'readonly string[]' },
} as const satisfies Readonly<Record<Param<unknown>['kind'], object>>;

function readingOf(returns: Route['declared']['returns'], type: string | undefined): string {
  const answers: readonly unknown[] = Object.values(returns);
  if (answers.includes('page') || type?.startsWith('text/')) return 'text';
  if (answers.includes('bytes')) return 'bytes';
  if (answers.every((schema) => schema === null)) return 'nothing';
  return answers.includes(null) ? 'jsonOrNull' : 'json';
}

/** Writes the signatures of a call with its text. */
function callOf(route: Route, names: ReadonlyMap<unknown, string>): string {
  const id = idOf(route);
  const [given, isOptional] = bodyOf(route);
  const required = [...pathParams(route).map((name) => `${name}: string`), ...(isOptional ? [] : given)];
  const params = [...required, ...(isOptional ? given : [])];
  const overloads = OVERLOADS[id];
  const query = queryTypeOf(route);
  const signatures = overloads ?? [{ query, answer: answerOf(route, names) }];
  return signatures
    .map(({ query, answer }) => {
      const asked = query === null ? [] : [`query${query.endsWith('?') ? '?' : ''}: ${query.replace(/\?$/, '')}`];
      return `${textOf(route)}\n${id}(${[...params, ...asked, 'options?: CallOptions'].join(', ')}): Promise<${answer}>;`;
    })
    .join('\n');
}

/** Returns the names of the ids that a call is given. The client knows the workspace of the cloud API. */
function pathParams({ path }: Route): string[] {
  const names = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return path.startsWith('/v1/') ? names.filter((name) => name !== 'workspaceId') : names;
}

function bodyOf(route: Route): [params: string[], isOptional: boolean] {
  const { about, declared } = route;
  if (declared.body === undefined && about?.takes === undefined) return [[], false];
  const type = BODIES[idOf(route)];
  if (type === undefined) throw new Error(`BODIES of .build/client-signatures.ts has no ${idOf(route)}`);
  const isOptional = declared.bodyIsOptional || type.endsWith('?');
  return [[`body${isOptional ? '?' : ''}: ${type.replace(/\?$/, '')}`], isOptional];
}

/** Returns the name of the type of a call's query, with a question mark if it may be left out. */
function queryTypeOf(route: Route): string | null {
  const params = paramsOf(route);
  if (params.length === 0) return null;
  return `${nameOfQuery(route)}${params.some(([, { isRequired }]) => isRequired) ? '' : '?'}`;
}

function nameOfQuery(route: Route): string {
  const id = idOf(route);
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Query`;
}

/** Writes the type of a query. It extends the largest other query of which it has every field. */
function queryOf(route: Route, all: readonly Route[]): string {
  const fields = fieldsOfQuery(route);
  if (fields.length === 0) return '';
  const others = all.map((other) => ({ other, fields: fieldsOfQuery(other) }));
  const [base] = others
    .slice(0, all.indexOf(route))
    .concat(others.filter(({ fields: { length } }) => length < fields.length))
    .filter(({ fields: some }) => some.length > 0 && some.every((field) => fields.includes(field)))
    .sort((one, two) => two.fields.length - one.fields.length);
  const name = `/** The query of \`${idOf(route)}\`. */\nexport interface ${nameOfQuery(route)}`;
  const own = fields.filter((field) => !base?.fields.includes(field));
  const head = base === undefined ? name : `${name} extends ${nameOfQuery(base.other)}`;
  return `${head} {\n${own.join('\n')}\n}\n`;
}

function fieldsOfQuery(route: Route): string[] {
  return paramsOf(route).map(([name, param]) => {
    const type = param.texts?.map((text) => `'${text}'`).join(' | ') ?? KINDS[param.kind].type;
    const field = param.isRequired ? `readonly ${name}: ${type}` : `readonly ${name}?: ${type} | undefined`;
    return `/** ${aboutParam(name, param)} */\n${field};`;
  });
}

/** Tells what a parameter means in the client, where a flag is a boolean and a list is one. */
function aboutParam(name: string, { about, kind, min, max, fallback }: Param<unknown>): string {
  if (about === undefined) throw new Error(`the query parameter ${name} has no description`);
  const said = about
    .replace(/^([01]): /, (_, digit) => `\`${digit === '1'}\`: `)
    .replace(' with commas between them', '');
  const range = kind !== 'whole' ? '' : max === undefined || max >= 2 ** 31 ? `, from ${min}` : `, ${min} to ${max}`;
  return `${said}${range}${kind === 'whole' && fallback !== undefined ? `; ${fallback} if left out` : ''}.`;
}

/** Writes the text of a call: what the operation's documents say, its request, and the codes of its refusals. */
function textOf(route: Route): string {
  const { method, path, about, declared } = route;
  const ofQuery = paramsOf(route).flatMap(([, { code }]) => (code === null ? [] : [code]));
  const codes = [...new Set([...declared.fails, ...ofQuery])].map((code) => `\`${code}\``);
  const lines = [
    // An answer without a body is null in the client.
    [about?.summary, about?.description?.replace(/\.$/, ''), NOTES[idOf(route)]]
      .filter(Boolean)
      .join('. ')
      .replace('. 204:', '. Null:')
      .replace('; 204', '; null'),
    `\`${method} ${templateOf(path)}\`${codes.length > 0 ? ` may be refused with ${codes.join(', ')}` : ''}`,
  ];
  return `/**\n${lines.flatMap((line) => wrapped(`${line}.`)).join('\n *\n')}\n */`;
}

const WIDTH = 112;

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.map((line) => ` * ${line}`).join('\n');
}

function answerOf({ declared: { returns }, about }: Route, names: ReadonlyMap<unknown, string>): string {
  const reading = readingOf(returns, about?.gives?.type);
  if (reading === 'text') return 'string';
  if (reading === 'bytes') return 'Bytes';
  if (reading === 'nothing') return 'void';
  const answers: readonly unknown[] = Object.values(returns);
  return answers.map((schema) => (schema instanceof z.ZodType ? typeOf(schema, names) : 'null')).join(' | ');
}

function typeOf(schema: z.core.$ZodType, names: ReadonlyMap<unknown, string>): string {
  const known = names.get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodArray) return `${typeOf(schema.element, names)}[]`;
  return 'unknown';
}

/** Returns the client's names of the schemas of answers: each type of the resources is made of one schema. */
async function namesOfAnswers(): Promise<Map<unknown, string>> {
  const names = new Map<unknown, string>();
  for (const [alias, file] of [
    ['api', 'resources'],
    ['local', 'local-resources'],
  ] as const) {
    const source = readFileSync(join(CONNECTION, `${file}.ts`), 'utf8');
    const modules = new Map<string, Readonly<Record<string, unknown>>>();
    for (const [, name = '', path = ''] of source.matchAll(/import type \* as (\w+) from '(.+?)';/g))
      modules.set(name, await import(join(CONNECTION, path)));
    for (const [, type = '', made = ''] of source.matchAll(/export type (\w+) = ([^;]+);/g)) {
      const [, module = '', schema = ''] = /\b(\w+)\.(\w+)/.exec(made.replace(/\bz\.infer\b|\btypeof\b/g, '')) ?? [];
      const found = modules.get(module)?.[schema];
      if (found instanceof z.ZodType && !names.has(found)) names.set(found, `${alias}.${type}`);
    }
  }
  return names;
}
