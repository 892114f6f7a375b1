import type { JsonSchema } from './components.ts';

/** The schema that a reference to a component names; another as it is. */
export function resolve(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {};
}
