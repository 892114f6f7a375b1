import { join } from 'node:path';
import { z } from 'zod';
import { cloudOperations, localOperations } from '../src/http/operations.ts';
import { type Param, routesOf } from '../src/http/route.ts';
import { called, formatted, idOf, KINDS, type Module, paramsOf, type Route } from './client-operations.ts';

const FILE = join(import.meta.dirname, '..', 'src', 'cli', 'api', 'operations.ts');

/** Returns the generated module of `mailcap api`: what each operation does, and what its parameters and fields mean. */
export function commandOperations(): Module {
  const all = [...called(routesOf(cloudOperations)), ...called(routesOf(localOperations))];
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

/** A summary of each operation, by its name, with its parameters. */
export const API_OPERATIONS: Readonly<Record<string, ApiOperation>> = {
${all.map((route) => `  ${idOf(route)}: ${JSON.stringify(operationOf(route))},`).join('\n')}
};
`,
  );
}

function operationOf(route: Route): object {
  const query = Object.fromEntries(paramsOf(route).map(([name, param]) => [name, ofQuery(param)]));
  const body = fieldsOf(route.declared.body);
  return {
    summary: route.about?.summary ?? '',
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(body).length > 0 && { body }),
  };
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
