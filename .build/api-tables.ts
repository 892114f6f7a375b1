import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../src/domain/errors.ts';
import { cloudRoutes } from '../src/http/app.ts';
import { templateOf } from '../src/http/openapi/document.ts';
import { cloudCodes, isAddition } from '../src/http/openapi/refusals.ts';
import * as operations from '../src/http/operations.ts';
import { type RouteGroup, routesOf } from '../src/http/route.ts';
import { grouped } from '../src/text/maps.ts';
import { code } from './markdown-table.ts';

/** Lists operations by name. A summary that repeats the words of the name, or is in `told`, is left out. */
function operationList<Who>(sections: readonly RouteGroup<Who>[], told: readonly string[] = []): string {
  const items = routesOf(sections).map(({ method, path, about }) => {
    const [name, summary] = [about?.id ?? '', about?.summary ?? ''];
    const call = `- ${code(name)}, ${code(`${method} ${templateOf(path)}`)}`;
    return told.includes(summary) || isSaidBy(name, summary) ? call : `${call}: ${summary}`;
  });
  return items.join('\n');
}

function isSaidBy(name: string, summary: string): boolean {
  const said = name.replace(/[A-Z]/g, ' $&').toLowerCase().split(' ');
  return summary
    .toLowerCase()
    .split(' ')
    .every((word) => said.includes(word) || ['a', 'an', 'the'].includes(word));
}

export const cloudOperations = (): string => operationList(operations.cloudOperations);
/** An operation of the local API that does the same as one of the cloud API shares its summary. */
export const localOperations = (): string =>
  operationList(
    operations.localOperations,
    routesOf(operations.cloudOperations).map(({ about }) => about?.summary ?? ''),
  );

/** Each error code of `/v1`, with the operations that can fail with it. */
const OF_THE_CLOUD: ReadonlyMap<ErrorCode, readonly (typeof cloudRoutes)[number][]> = operationsByCode();

function operationsByCode(): Map<ErrorCode, (typeof cloudRoutes)[number][]> {
  const found = new Map<ErrorCode, (typeof cloudRoutes)[number][]>();
  for (const route of cloudRoutes) {
    for (const each of cloudCodes(route)) found.set(each, [...(found.get(each) ?? []), route]);
  }
  return found;
}

/** The error codes that any request of either API can get. No operation declares them. */
const OF_ANY: readonly ErrorCode[] = ['method_not_allowed', 'bad_request', 'request_timeout', 'headers_too_large'];

export function cloudErrors(): string {
  const codes = Object.keys(ERRORS)
    .filter(isCode)
    .filter((each) => OF_THE_CLOUD.has(each) || OF_ANY.includes(each));
  return [
    errorList(codes.filter(isDocumented)),
    'The API document does not name these. They are additions of this server, and the cloud may answer otherwise there:',
    errorList(codes.filter((each) => !isDocumented(each))),
  ].join('\n\n');
}

export function localErrors(): string {
  return errorList(
    Object.keys(ERRORS)
      .filter(isCode)
      .filter((each) => !OF_THE_CLOUD.has(each) && !OF_ANY.includes(each)),
  );
}

/** Lists errors by their status. Errors that say the same of one parameter each share an item. */
function errorList(codes: readonly ErrorCode[]): string {
  const statuses = [...new Set(codes.map((each) => ERRORS[each].status))].sort((a, b) => a - b);
  // `invalid_code`, "code is neither 1 nor 0", says of `code` what `invalid_total` says of `total`.
  const words = (each: ErrorCode) => parameterless(each) ?? ERRORS[each].when;
  const items = (status: number) => [
    ...grouped(
      codes.filter((each) => ERRORS[each].status === status),
      words,
    ).values(),
  ];
  return statuses.map((status) => `**${status}**\n\n${items(status).map(errorItem).join('\n')}`).join('\n\n');
}

/** Returns what an error without fields says of the parameter in its code, or null if it begins with no such name. */
function parameterless(each: ErrorCode): string | null {
  const { when, extra } = ERRORS[each];
  const [parameter = '', ...words] = when.split(' ');
  const name = `invalid_${parameter.replace(/[A-Z]/g, '_$&').toLowerCase()}`;
  return extra === undefined && name === each ? words.join(' ') : null;
}

/** The further fields of an error stand in brackets after its description. */
function errorItem([first, ...others]: readonly ErrorCode[]): string {
  if (first === undefined) return '';
  if (others.length > 0) return `- ${[first, ...others].map(code).join(', ')}: The parameter ${parameterless(first)}`;
  const { when, extra = {} } = ERRORS[first];
  const fields = Object.keys(extra).map(code).join(', ');
  return `- ${code(first)}: ${fields === '' ? when : `${when} (${fields})`}`;
}

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(ERRORS, name);
}

function isDocumented(each: ErrorCode): boolean {
  return (OF_THE_CLOUD.get(each) ?? []).some(({ declared }) => !isAddition(each, declared));
}

/**
 * Lists the fields of a resource: name, type, and description from the schema. `string?` may be null. Neighbours of one
 * type and description share an item. The fields of `base`, another resource, are left out.
 */
export function fieldList(schema: z.ZodType, io: 'input' | 'output', base: z.ZodType | null = null): string {
  const told = base === null ? {} : fieldsOf(base, io);
  const items: { names: string[]; type: string; note: string }[] = [];
  for (const [name, field] of Object.entries(fieldsOf(schema, io))) {
    if (Object.hasOwn(told, name)) continue;
    const [type, note, last] = [typeOf(field), noteOf(field), items.at(-1)];
    if (last !== undefined && last.type === type && last.note === note) last.names.push(name);
    else items.push({ names: [name], type, note });
  }
  return items.map(({ names, type, note }) => `- ${names.map(code).join(', ')} (${type})${note}`).join('\n');
}

function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, Field> {
  return Schema.parse(z.toJSONSchema(schema, { io, unrepresentable: 'any' })).properties;
}

const Field = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  const: z.unknown().optional(),
  description: z.string().optional(),
  get anyOf() {
    return z.array(Field).optional();
  },
});
type Field = z.infer<typeof Field>;
const Schema = z.looseObject({ properties: z.record(z.string(), Field) });

function typeOf(field: Field): string {
  if (field.anyOf !== undefined) {
    const kinds = [...new Set(field.anyOf.map(typeOf))];
    return kinds.includes('null') ? `${kinds.filter((kind) => kind !== 'null').join(' or ')}?` : kinds.join(' or ');
  }
  if (field.format === 'date-time') return 'date-time';
  const kinds = [field.type ?? (typeof field.const === 'number' ? 'number' : 'any')].flat();
  const named = kinds.filter((kind) => kind !== 'null').join(' or ');
  return kinds.length > 1 && kinds.includes('null') ? `${named}?` : named || 'null';
}

function noteOf({ description }: Field): string {
  return description === undefined ? '' : `: ${description}`;
}
