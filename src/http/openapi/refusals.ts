import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import { grouped } from '../../text/maps.ts';
import type { Endpoint, Param } from '../route.ts';
import type { JsonSchema } from './components.ts';

/**
 * Returns every code that an operation of the cloud API can fail with: its own codes, and those of every request of its
 * kind.
 */
export function cloudCodes({ method, path, declared }: Described): ErrorCode[] {
  const any: ErrorCode[] = ['unauthorized', 'rate_limited', ...anyCodes({ method, path, declared })];
  if (method === 'POST') any.push('invalid_idempotency_key');
  return [...new Set([...declared.fails, ...queryCodes(declared), ...any])];
}

/** Returns every code that an operation of the local API can fail with. */
export function localCodes(route: Described): ErrorCode[] {
  const any: ErrorCode[] = ['unauthorized', 'forbidden', ...anyCodes(route)];
  return [...new Set([...route.declared.fails, ...queryCodes(route.declared), ...any])];
}

type Described = Pick<Endpoint<never>, 'method' | 'path' | 'declared'>;

function queryCodes({ query = {} }: Described['declared']): ErrorCode[] {
  const codes = Object.values<Param<unknown>>(query).map(({ code }) => code);
  return codes.filter((code) => code !== null);
}

function anyCodes({ method, path, declared }: Described): ErrorCode[] {
  const any: ErrorCode[] = ['internal_error', 'shutting_down'];
  if (path.includes(':')) any.push('not_found');
  if (method !== 'GET') any.push('disk_full', 'storage_unavailable');
  if (declared.body !== undefined) any.push('invalid_body', 'payload_too_large', 'unsupported_media_type');
  return any;
}

/** Tells whether a code is an addition of this server that docs/api.md does not name for the operation. */
export function isAddition(code: ErrorCode, { fails }: Pick<Described['declared'], 'fails'>): boolean {
  return !OF_ANY.includes(code) && !fails.includes(code);
}

/** The codes that docs/api.md names for any operation, by their status at least. */
const OF_ANY: readonly ErrorCode[] = ['not_found', 'rate_limited'];

export function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  return [...grouped(codes, (code) => ERRORS[code].status)].sort(([one], [other]) => one - other);
}

/** Returns the content of the refusals that share a status: the Error schema, and an example of each code. */
export function refusalContent(codes: readonly ErrorCode[]): { schema: JsonSchema; examples: ExampleRefs } {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) };
}

/**
 * Returns the Error schema. It is one object with the extra fields of all codes, because many generators read no choice
 * of objects.
 */
export function errorSchemas(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const beside = new Map<string, { schema: JsonSchema; codes: ErrorCode[] }>();
  for (const code of codes) {
    for (const [name, { schema }] of Object.entries(ERRORS[code].extra ?? {})) {
      const known = beside.get(name);
      if (known === undefined) beside.set(name, { schema, codes: [code] });
      else if (isSameType(known.schema, schema)) known.codes.push(code);
      else throw new Error(`${name} of the error ${code} has another type than that of ${known.codes[0]}`);
    }
  }
  const fields = [...beside].map(([name, { schema, codes: having }]) => [
    name,
    { ...schema, description: `With ${having.join(', ')}` },
  ]);
  return {
    Error: {
      type: 'object',
      description: 'The code in error says which of the other fields are there',
      properties: { error: { $ref: '#/components/schemas/ErrorCode' }, ...Object.fromEntries(fields) },
      required: ['error'],
    },
    // The choice has a name of its own, because generators would call it as its object: Error.
    ErrorCode: { type: 'string', enum: codes },
  };
}

function isSameType(one: JsonSchema, other: JsonSchema): boolean {
  return one['type'] === other['type'] && one['format'] === other['format'];
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export type ExampleRefs = Readonly<Record<string, { readonly $ref: string }>>;

/** Returns an example answer of each code. */
export function refusalExamples(codes: readonly ErrorCode[]): Record<string, Example> {
  return Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
}

function exampleOf(code: ErrorCode): Example {
  const { when, extra = {} } = ERRORS[code];
  const always = Object.entries(extra).filter(([, { optional }]) => !optional);
  const beside = always.map(([name, { example }]) => [name, example]);
  return { summary: when, value: { error: code, ...Object.fromEntries(beside) } };
}
