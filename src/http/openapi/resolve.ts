import type { JsonSchema } from './components.ts';

/** Returns the schema that a reference names, or the schema itself if it is no reference. */
export function resolve(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {};
}
