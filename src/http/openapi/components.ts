import { z } from 'zod';
import * as resources from '../schemas.ts';
import * as ofWebhooks from '../webhook-schemas.ts';

/** A JSON Schema of the dialect 2020-12, which is OpenAPI 3.1's. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const named = z.registry<{ id: string }>();
for (const [id, resource] of Object.entries({ ...resources, ...ofWebhooks })) {
  if (resource instanceof z.ZodType) named.add(resource, { id });
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** The document's resources, by their names. */
export function componentSchemas(): Record<string, JsonSchema> {
  // As input: an answer may come to hold more fields than a client knows (API document 9).
  const { schemas } = z.toJSONSchema(named, { uri, io: 'input', override: plain });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  );
}

/** The schema of a body, by name where it has one. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  const id = named.get(schema)?.id;
  if (id !== undefined) return { $ref: uri(id) };
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element) };
  throw new Error('a body of the cloud API is none of the resources in schemas.ts');
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** Says in the document's words what zod says in its own. */
const plain: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  const about = z.globalRegistry.get(zodSchema)?.description;
  if (about !== undefined) jsonSchema.description = about;
  // What stands in for a value of the wrong type is for the rules to refuse, and no default.
  if (def.type === 'catch') delete jsonSchema.default;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // The document has no fractions: where a number is let through, it is for the rules to refuse.
  if (jsonSchema.type === 'number') jsonSchema.type = 'integer';
  if (jsonSchema.type === 'integer') sizeInteger(jsonSchema);
  if (def.type === 'nullable') mergeNull(jsonSchema);
  const choices = jsonSchema.anyOf?.map((choice) => choice.const) ?? jsonSchema.enum;
  if (choices?.every((choice) => Number.isInteger(choice))) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, { type: 'integer', format: 'int32', enum: choices });
  }
};

const INT32 = 2 ** 31;

function sizeInteger(schema: { format?: string; minimum?: number; maximum?: number }): void {
  const { minimum = -INT32, maximum = INT32 - 1 } = schema;
  schema.format = minimum >= -INT32 && maximum < INT32 ? 'int32' : 'int64';
  if (minimum <= -INT32) delete schema.minimum;
  if (maximum >= INT32 - 1) delete schema.maximum;
}

/** `["integer", "null"]` reads better than either of two. */
function mergeNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, none, ...more] = schema.anyOf ?? [];
  if (typeof one?.type !== 'string' || one.enum !== undefined || none?.type !== 'null' || more.length > 0) return;
  delete schema.anyOf;
  Object.assign(schema, one, { type: [one.type, 'null'] });
}
