import { escaped } from '../html.ts';
import type { JsonSchema } from '../openapi/components.ts';

/** Describes the type of a schema in a few words. A named schema becomes a link. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, anyOf, enum: choices, format, additionalProperties } = schema;
  if (typeof $ref === 'string') return linkTo($ref);
  if (Array.isArray(anyOf)) return alternatives(anyOf.filter(isSchema).map(typeOf));
  if (Array.isArray(type)) return alternatives(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'array' && isSchema(items)) return `array of ${typeOf(items)}`;
  if (type === 'object' && isSchema(additionalProperties)) return `object of ${typeOf(additionalProperties)}`;
  const values = Array.isArray(choices) ? ` ${choices.map((choice) => code(choice)).join(' ')}` : '';
  return escaped(typeof format === 'string' ? format : String(type ?? 'any')) + values;
}

/** Describes the constraints and the default of a parameter or field. */
export function rangeOf({ minimum, maximum, maxLength, default: fallback }: JsonSchema): string {
  const said = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : '',
    minimum !== undefined && maximum === undefined ? `from ${minimum}` : '',
    maxLength !== undefined ? `at most ${maxLength} characters` : '',
    fallback !== undefined ? `default ${JSON.stringify(fallback)}` : '',
  ];
  return escaped(said.filter((part) => part !== '').join(', '));
}

/** Returns the fields of an object as table rows. */
export function fieldRows({ properties }: JsonSchema): string {
  if (!isSchema(properties)) return '';
  return Object.entries(properties)
    .map(([name, field]) => (isSchema(field) ? row(code(name), typeOf(field), noteOf(field)) : ''))
    .join('\n');
}

export function row(...cells: readonly string[]): string {
  const [head = '', ...rest] = cells;
  return `<tr><th scope="row">${head}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

export function code(value: unknown): string {
  return `<code>${escaped(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

export function schemaId(name: string): string {
  return `schema-${name}`;
}

function noteOf(schema: JsonSchema): string {
  const { description } = schema;
  return [typeof description === 'string' ? escaped(description) : '', rangeOf(schema)].filter(Boolean).join('; ');
}

function alternatives(types: readonly string[]): string {
  return types.join(' or ');
}

function linkTo(ref: string): string {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return `<a href="#${escaped(schemaId(name))}">${escaped(name)}</a>`;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
