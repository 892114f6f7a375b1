import { join } from 'node:path';
import { z } from 'zod';
import { cloudOperations, localOperations } from '../src/http/operations.ts';
import { type Param, routesOf } from '../src/http/route.ts';
import { called, formatted, KINDS, listOf, type Module, namesOf, paramsOf, type Route } from './client-operations.ts';

const FILE = join(import.meta.dirname, '..', 'src', 'cli', 'api', 'operations.ts');

/** Returns the generated module of `mailcap api`: what each operation does, and what its parameters and fields mean. */
export function commandOperations(): Module {
  const all = [...called(routesOf(cloudOperations)), ...called(routesOf(localOperations))].map(operationOf);
  const usual = usualOf(all);
  return formatted(
    FILE,
    `
// This module is generated from the operations of the server: npm run docs. The requests of the operations, with the
// names of their parameters and fields, are in src/client/connection/operations.ts.

/** A parameter of a query, or a field of a body. */
export interface ApiParameter {
  readonly kind: 'text' | 'number' | 'time' | 'flag' | 'list' | 'json' | 'textOrJson';
  readonly about?: string;
  /** All valid texts, if they are few. */
  readonly choices?: readonly string[];
  readonly isRequired?: true;
}

/** The summaries of the operations, by their names. */
export const SUMMARIES: Readonly<Record<string, string>> = {
${all.map(({ id, summary }) => `  ${id}: ${JSON.stringify(summary)},`).join('\n')}
};

/** The fields of the bodies that may have others too, so that the client knows none of them. */
export const OPEN_BODIES: Readonly<Record<string, readonly string[]>> = {
${all.map(openBodyOf).join('')}};

/** The parameters and fields by their names, as most operations have them. */
export const PARAMETERS: Readonly<Record<string, ApiParameter>> = {
${[...usual].map(([name, parameter]) => `  ${name}: ${parameter},`).join('\n')}
};

/** Those that an operation has in another way, by its name. */
export const OWN_PARAMETERS: Readonly<Record<string, Readonly<Record<string, ApiParameter>>>> = {
${all.map((operation) => ownOf(operation, usual)).join('')}};
`,
  );
}

interface Described {
  readonly id: string;
  readonly summary: string;
  /** The parameters of its query and the fields of its body. */
  readonly parameters: readonly [name: string, parameter: object][];
  /** The names of the fields of a body that may have others too. */
  readonly open: readonly string[];
}

function operationOf(route: Route): Described {
  const query = paramsOf(route).map(([name, param]): [string, object] => [name, ofQuery(param)]);
  const { body } = route.declared;
  const fields = Object.entries(fieldsOf(body));
  const parameters = [...query, ...fields];
  const { id = '', summary = '' } = route.about ?? {};
  if (new Set(parameters.map(([name]) => name)).size < parameters.length)
    throw new Error(`${id} has a parameter and a field of one name`);
  return { id, summary, parameters, open: namesOf(route).length > 0 ? [] : fields.map(([name]) => name) };
}

/** Returns the JSON of each parameter as most operations have it, by its name. */
function usualOf(all: readonly Described[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const [name, parameter] of all.flatMap(({ parameters }) => parameters)) {
    const json = JSON.stringify(parameter);
    const byName = counts.get(name) ?? new Map<string, number>();
    counts.set(name, byName.set(json, (byName.get(json) ?? 0) + 1));
  }
  return new Map(
    [...counts].map(([name, found]) => {
      const [[json] = ['']] = [...found].sort(([, one], [, other]) => other - one);
      return [name, json];
    }),
  );
}

function openBodyOf({ id, open }: Described): string {
  return open.length === 0 ? '' : `  ${id}: ${listOf(open)},\n`;
}

function ownOf({ id, parameters }: Described, usual: ReadonlyMap<string, string>): string {
  const own = parameters.map(([name, parameter]) => [name, JSON.stringify(parameter)] as const);
  const written = own.filter(([name, json]) => usual.get(name) !== json).map(([name, json]) => `${name}: ${json}`);
  return written.length === 0 ? '' : `  ${id}: { ${written.join(', ')} },\n`;
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
