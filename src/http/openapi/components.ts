import { z } from 'zod';
import * as faults from '../local/faults.ts';
import * as localMessages from '../local/messages.ts';
import * as localOutbound from '../local/outbound.ts';
import * as local from '../local/schemas.ts';
import * as search from '../local/search.ts';
import * as localWebhooks from '../local/webhooks.ts';
import * as resources from '../schemas.ts';
import * as waits from '../waits.ts';
import * as ofWebhooks from '../webhooks.ts';

/** A JSON Schema of dialect 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const MODULES = [resources, ofWebhooks, local, localMessages, localOutbound, localWebhooks, search, faults, waits];

const named = new Map<z.core.$ZodType, string>();
for (const module of MODULES) {
  for (const [id, resource] of Object.entries(module)) if (resource instanceof z.ZodType) named.set(resource, id);
}

const uri = (id: string) => `#/components/schemas/${id}`;

/** Returns the named schemas that these bodies are made of. */
export function componentSchemas(bodies: readonly z.core.$ZodType[]): Record<string, JsonSchema> {
  const used = z.registry<{ id: string }>();
  const isNamed = (schema: z.core.$ZodType) => named.has(schema);
  for (const body of bodies) {
    for (const schema of partsOf(body).filter(isNamed)) used.add(schema, { id: named.get(schema) ?? '' });
  }
  // The schemas have no `additionalProperties: false`, because later versions may add fields (docs/api.md#versioning).
  const { schemas } = z.toJSONSchema(used, { uri, io: 'input', override: plain });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  );
}

/** Returns a schema and the schemas it is made of, as far as they may have names. */
function partsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodArray) return [schema, ...partsOf(schema.element)];
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return [schema, ...partsOf(schema.unwrap())];
  if (schema instanceof z.ZodObject) return [schema, ...Object.values(schema.shape).flatMap(partsOf)];
  return [schema];
}

/** Returns the schema of a body: a reference if it has a name, else the schema itself. */
export function schemaOf(schema: z.core.$ZodType): JsonSchema {
  const id = named.get(schema);
  if (id !== undefined) return { $ref: uri(id) };
  if (schema instanceof z.ZodArray) return { type: 'array', items: schemaOf(schema.element) };
  const { $schema: _dialect, ...inline } = z.toJSONSchema(schema, { io: 'input', override: plain });
  return inline;
}

/** Returns the schema that a reference names, or the schema itself if it is no reference. */
export function resolve(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  return schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {};
}

type Override = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>;

/** Replaces zod's wording of a schema by that of the document. */
const plain: Override = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  const said = z.globalRegistry.get(zodSchema);
  Object.assign(jsonSchema, said);
  for (const [name, value] of Object.entries(jsonSchema))
    if (value === undefined) Reflect.deleteProperty(jsonSchema, name);
  if (zodSchema instanceof z.ZodTuple) writeAsArray(jsonSchema);
  writeConst(jsonSchema);
  // Every object may have further fields, and generators add methods for them if the schema says so.
  if (said?.['properties'] !== undefined) delete jsonSchema.additionalProperties;
  // A `catch` replaces a value of the wrong type, so that the rules refuse it. It is no default.
  if (def.type === 'catch') delete jsonSchema.default;
  // The document has no fractions. The rules refuse one.
  if (jsonSchema.type === 'number' && said?.['type'] !== 'number') jsonSchema.type = 'integer';
  if (jsonSchema.type === 'integer') sizeInteger(jsonSchema);
  if (def.type === 'nullable') mergeNull(jsonSchema);
  // The schema of a time may become a part of others before this function has seen it.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  // zod built a nullable number of a request before this function saw it.
  const types: unknown = jsonSchema.type;
  if (def.type === 'catch' && Array.isArray(types) && types.includes('number')) {
    Object.assign(jsonSchema, { type: ['integer', 'null'], format: 'int32' });
  }
  const choices = jsonSchema.anyOf?.map((choice) => choice.const ?? choice.enum?.[0]) ?? jsonSchema.enum;
  if (choices?.every((choice) => Number.isInteger(choice))) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, { type: 'integer', format: 'int32', enum: choices });
  }
};

/** Describes a tuple as an array of its length with one type for all items, because most generators know no tuple. */
function writeAsArray(schema: z.core.JSONSchema.BaseSchema): void {
  const { prefixItems = [] } = schema;
  const types = new Set<unknown>();
  for (const item of prefixItems) {
    if (typeof item !== 'object') continue;
    // zod has not built its parts with this function yet.
    mergeNull(item);
    for (const type of [item.type].flat()) types.add(type);
  }
  delete schema.prefixItems;
  const items = { type: types.size === 1 ? [...types][0] : [...types] };
  Object.assign(schema, { minItems: prefixItems.length, maxItems: prefixItems.length, items });
}

/** Describes a constant as a choice of one. Generators declare a boolean constant with code that does not compile. */
function writeConst(schema: z.core.JSONSchema.BaseSchema): void {
  const { const: only } = schema;
  if (only === undefined) return;
  delete schema.const;
  if (typeof only === 'boolean') schema.type = 'boolean';
  else schema.enum = [only];
}

const INT32 = 2 ** 31;

function sizeInteger(schema: { format?: string; minimum?: number; maximum?: number }): void {
  const { minimum = -INT32, maximum = INT32 - 1 } = schema;
  schema.format = minimum >= -INT32 && maximum < INT32 ? 'int32' : 'int64';
  if (minimum <= -INT32) delete schema.minimum;
  if (maximum >= INT32 - 1) delete schema.maximum;
}

/** Merges a nullable type to `["integer", "null"]`, which reads better than a choice of two schemas. */
function mergeNull(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, none, ...more] = schema.anyOf ?? [];
  if (typeof one?.type !== 'string' || one.enum !== undefined || none?.type !== 'null' || more.length > 0) return;
  delete schema.anyOf;
  Object.assign(schema, one, { type: [one.type, 'null'] });
}
