import { join } from 'node:path';
import { z } from 'zod';
import { cloudOperations, localOperations } from '../src/http/operations.ts';
import { type Param, routesOf } from '../src/http/route.ts';
import { called, formatted, idOf, KINDS, type Module, paramsOf, type Route } from './client-operations.ts';

const FILE = join(import.meta.dirname, '..', 'src', 'cli', 'api', 'operations.ts');

/** Returns the generated module of `mailcap api`: what each operation does, and what its parameters and fields mean. */
export function commandOperations(): Module {
  const all = [...called(routesOf(cloudOperations)), ...called(routesOf(localOperations))].map(operationOf);
  const usual = usualOf(all);
  return formatted(
    FILE,
    `
// This module is generated from the operations of the server: npm run docs.

/** A parameter of a query, or a field of a body. */
export interface ApiParameter {
  readonly kind: 'text' | 'number' | 'time' | 'flag' | 'list' | 'json' | 'textOrJson';
  readonly about?: string;
  /** All valid texts, if they are few. */
  readonly choices?: readonly string[];
  readonly isRequired?: true;
}

/** The parts of an operation that the client does not know. Its request is in src/client/connection/operations.ts. */
export interface ApiOperation {
  readonly summary: string;
  readonly query?: Readonly<Record<string, ApiParameter>>;
  readonly body?: Readonly<Record<string, ApiParameter>>;
}

/** The parameters and fields of this name in most operations that have one. */
const USUAL = {
${[...usual].map(([name, parameter]) => `  ${name}: ${parameter},`).join('\n')}
} as const satisfies Readonly<Record<string, ApiParameter>>;

function usual(...names: readonly (keyof typeof USUAL)[]): Readonly<Record<string, ApiParameter>> {
  return Object.fromEntries(names.map((name) => [name, USUAL[name]]));
}

/** A summary of each operation, by its name, with its parameters. */
export const API_OPERATIONS: Readonly<Record<string, ApiOperation>> = {
${all.map((operation) => written(operation, usual)).join('\n')}
};
`,
  );
}

type Parameters = Readonly<Record<string, object>>;

interface Described {
  readonly id: string;
  readonly summary: string;
  readonly query: Parameters;
  readonly body: Parameters;
}

function operationOf(route: Route): Described {
  return {
    id: idOf(route),
    summary: route.about?.summary ?? '',
    query: Object.fromEntries(paramsOf(route).map(([name, param]) => [name, ofQuery(param)])),
    body: fieldsOf(route.declared.body),
  };
}

/** Returns the JSON of each parameter that several operations have alike, by its name. */
function usualOf(all: readonly Described[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const [name, parameter] of all.flatMap(({ query, body }) => [query, body].flatMap(Object.entries<object>))) {
    const json = JSON.stringify(parameter);
    const byName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, byName.set(json, (byName.get(json) ?? 0) + 1));
  }
  const most = [...counts].map(([name, found]) => {
    const [[json, count] = ['', 0]] = [...found].sort(([, one], [, other]) => other - one);
    return { name, json, count };
  });
  return new Map(most.filter(({ count }) => count > 1).map(({ name, json }) => [name, json]));
}

function written({ id, summary, query, body }: Described, usual: ReadonlyMap<string, string>): string {
  const parts = Object.entries({ query, body }).filter(([, all]) => Object.keys(all).length > 0);
  const fields = parts.map(([place, all]) => `${place}: ${parametersIn(all, usual)}`);
  return `  ${id}: { ${[`summary: ${JSON.stringify(summary)}`, ...fields].join(', ')} },`;
}

/** Writes parameters in their order: those that are usual by their names alone. */
function parametersIn(all: Parameters, usual: ReadonlyMap<string, string>): string {
  const groups: (string | string[])[] = [];
  for (const [name, parameter] of Object.entries(all)) {
    const json = JSON.stringify(parameter);
    const last = groups.at(-1);
    if (usual.get(name) !== json) groups.push(`${name}: ${json}`);
    else if (Array.isArray(last)) last.push(name);
    else groups.push([name]);
  }
  const calls = groups.map((group) =>
    typeof group === 'string' ? group : `usual(${group.map((name) => `'${name}'`).join(', ')})`,
  );
  const [only] = calls;
  if (calls.length === 1 && Array.isArray(groups[0])) return only ?? '';
  return `{ ${calls.map((call, at) => (typeof groups[at] === 'string' ? call : `...${call}`)).join(', ')} }`;
}

function ofQuery({ kind, about, texts, isRequired }: Param<unknown>): object {
  return {
    kind: KINDS[kind].check,
    ...(about !== undefined && { about }),
    ...(texts !== undefined && { choices: texts }),
    ...(isRequired && { isRequired }),
  };
}

const Field = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  items: z.looseObject({ type: z.string().optional() }).optional(),
  anyOf: z.array(z.looseObject({ type: z.unknown() })).optional(),
  description: z.string().optional(),
});

function fieldsOf(body: Route['declared']['body']): Record<string, object> {
  if (body === undefined) return {};
  const { properties = {} } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { type, format, enum: values = [], items, anyOf = [], description } = Field.parse(schema);
      const [kind, ...others] = [type ?? []].flat().filter((one) => one !== 'null');
      const choices = values.filter((value) => typeof value === 'string');
      return [
        name,
        {
          kind: anyOf.some(({ type: one }) => one === 'string')
            ? 'textOrJson'
            : others.length > 0
              ? 'json'
              : kindOf(kind, format, items?.type),
          ...(description !== undefined && { about: description }),
          ...(choices.length > 0 && { choices }),
        },
      ];
    }),
  );
}

function kindOf(type: string | undefined, format: string | undefined, ofItems: string | undefined): string {
  if (type === 'string') return format === 'date-time' ? 'time' : 'text';
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'flag';
  return type === 'array' && ofItems === 'string' ? 'list' : 'json';
}
