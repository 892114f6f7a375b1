import { ERRORS, type ErrorCode } from '../../domain/errors.ts';
import type { Param } from '../query.ts';
import type { Endpoint } from '../route.ts';
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
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([one], [other]) => one - other);
}

/** Returns the content of the refusals that share a status: the Error schema, and an example of each code. */
export function refusalContent(codes: readonly ErrorCode[]): { schema: JsonSchema; examples: ExampleRefs } {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) };
}

/** Returns the Error schema: a choice of the plain error and of the errors with extra fields, each tied to its code. */
export function errorSchemas(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const withExtra = codes.filter((code) => ERRORS[code].extra !== undefined);
  const plain = codes.filter((code) => !withExtra.includes(code));
  const named = Object.fromEntries(withExtra.map((code) => [nameOf(code), extendedError(code)]));
  const refs = ['PlainError', ...Object.keys(named)].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const error = { type: 'string', enum: plain };
  return {
    Error: { oneOf: refs, description: 'The code in error tells the kinds apart' },
    PlainError: { type: 'object', properties: { error }, required: ['error'] },
    ...named,
  };
}

/** Converts a code such as `invalid_retention` to the schema name `InvalidRetentionError`. */
function nameOf(code: ErrorCode): string {
  return `${code.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())}Error`.replace(
    /ErrorError$/,
    'Error',
  );
}

function extendedError(code: ErrorCode): JsonSchema {
  const { when, extra = {} } = ERRORS[code];
  const fields = Object.entries(extra);
  return {
    type: 'object',
    description: when,
    properties: {
      error: { type: 'string', const: code },
      ...Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
    },
    required: ['error', ...fields.filter(([, { optional }]) => !optional).map(([name]) => name)],
  };
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
