import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../src/domain/errors.ts';
import { cloudRoutes } from '../src/http/app.ts';
import { templateOf } from '../src/http/openapi/document.ts';
import { cloudCodes, isAddition } from '../src/http/openapi/refusals.ts';
import * as operations from '../src/http/operations.ts';
import { routesOf, type Section } from '../src/http/section.ts';
import { code, markdownTable } from './markdown-table.ts';

export function operationTable<Who>(sections: readonly Section<Who>[]): string {
  const rows = routesOf(sections).map(({ method, path, about }) => [
    code(`${method} ${templateOf(path)}`),
    code(about?.id ?? ''),
    `${about?.summary}.`,
  ]);
  return markdownTable(['Method and path', 'Name', 'What it does'], rows);
}

export const cloudOperations = (): string => operationTable(operations.cloudOperations);
export const localOperations = (): string => operationTable(operations.localOperations);

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
  const rows = codes.map((each) => [...errorCells(each), isDocumented(each) ? 'yes' : 'no']);
  return markdownTable(['Code', 'Status', 'Further fields', 'When', 'In the API document'], rows);
}

export function localErrors(): string {
  const codes = Object.keys(ERRORS)
    .filter(isCode)
    .filter((each) => !OF_THE_CLOUD.has(each) && !OF_ANY.includes(each));
  return markdownTable(['Code', 'Status', 'Further fields', 'When'], codes.map(errorCells));
}

function isCode(name: string): name is ErrorCode {
  return Object.hasOwn(ERRORS, name);
}

function isDocumented(each: ErrorCode): boolean {
  return (OF_THE_CLOUD.get(each) ?? []).some(({ declared }) => !isAddition(each, declared));
}

function errorCells(each: ErrorCode): string[] {
  const { status, when, extra = {} } = ERRORS[each];
  return [code(each), String(status), Object.keys(extra).map(code).join(', '), `${when}.`];
}

/** Returns the table of a resource's fields: name, type, and description from the schema. */
export function fieldTable(schema: z.ZodType, io: 'input' | 'output'): string {
  const json = Schema.parse(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const rows = Object.entries(json.properties).map(([name, field]) => [code(name), typeOf(field), noteOf(field)]);
  return markdownTable(['Field', 'Type', 'Notes'], rows);
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
    return kinds.includes('null')
      ? `${kinds.filter((kind) => kind !== 'null').join(' or ')}, nullable`
      : kinds.join(' or ');
  }
  if (field.format === 'date-time') return 'date-time';
  const kinds = [field.type ?? (typeof field.const === 'number' ? 'number' : 'any')].flat();
  const named = kinds.filter((kind) => kind !== 'null').join(' or ');
  return kinds.length > 1 && kinds.includes('null') ? `${named}, nullable` : named || 'null';
}

function noteOf({ description }: Field): string {
  return description === undefined ? '' : `${description}.`;
}
