import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ERRORS, type ErrorCode } from '../../src/domain/errors.ts';
import { describe, type Operation } from '../../src/http/openapi/document.ts';
import { cloudOperations } from '../../src/http/operations.ts';

const document = describe(cloudOperations);

// A worker uses most schemas a few times, so optimized code costs more than it saves. test/contract/openapi.test.ts
// checks the schemas themselves.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } });
formats.default(ajv);
ajv.addSchema({ ...closed(document), $id: 'openapi' });

/** The documented paths. Those with fewer parameters come first, as in the router: `await` is no message id. */
const PATHS = Object.entries(document.paths)
  .map(([template, methods]) => ({
    template,
    methods,
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => one.template.split('{').length - other.template.split('{').length);

/** Throws if an answer of the cloud API does not match the OpenAPI document, or has additional fields. */
export async function checkAnswer(method: string, path: string, response: Response): Promise<void> {
  const [bare = ''] = path.split('?');
  if (!bare.startsWith('/v1/')) return;
  const known = PATHS.find(({ pattern }) => pattern.test(bare));
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = known?.methods[verb];
  const { status } = response;
  const said = `${method} ${path} answered ${status}`;
  if (known === undefined || operation === undefined) {
    if (status < 400) throw new Error(`${said}, and is no operation of the OpenAPI document`);
    return;
  }
  const answered = operation.responses[status];
  if (answered === undefined) throw new Error(`${said}; documented are ${statusesOf(operation)}`);
  for (const name of Object.keys(answered.headers)) {
    const required = document.components.headers[name]?.required;
    if (required && !response.headers.has(name)) throw new Error(`${said} without the documented header ${name}`);
  }
  const body = await response.clone().text();
  if (method === 'HEAD') return;
  if (answered.content === undefined) {
    if (body !== '') throw new Error(`${said} with a body, where none is documented: ${body}`);
    return;
  }
  const json = answered.content['application/json'];
  const validate = validatorOf(
    ['paths', known.template, verb, 'responses', `${status}`, 'content', 'application/json'],
    json?.schema,
  );
  const { error } = JSON.parse(body) as { error?: string }; // the check below fails for other types
  const listed = Object.keys(json?.examples ?? {});
  if (status >= 400 && !listed.includes(error ?? ''))
    throw new Error(`${said} ${error}; listed are ${listed.join(', ')}`);
  if (status >= 400) checkFields(said, JSON.parse(body));
  if (!validate(JSON.parse(body))) {
    throw new Error(`${said}, which is not as documented: ${ajv.errorsText(validate.errors)}\n${body}`);
  }
}

/** Throws if an error lacks a field of its code, or has a field of another code. The document does not tie them. */
function checkFields(said: string, { error, ...beside }: Readonly<Record<string, unknown>>): void {
  const { extra = {} } = ERRORS[error as ErrorCode]; // the caller found the code in the document
  const missing = Object.entries(extra).filter(([name, { optional }]) => !optional && !(name in beside));
  const strays = Object.keys(beside).filter((name) => !(name in extra));
  if (missing.length + strays.length === 0) return;
  throw new Error(`${said} ${error} without ${missing.map(([name]) => name).join()}, and with ${strays.join()}`);
}

/** The validators by the text of their schema, because many answers share one. */
const validators = new Map<string, ValidateFunction>();

function validatorOf(place: readonly string[], schema: unknown): ValidateFunction {
  const text = JSON.stringify(schema);
  const pointer = [...place, 'schema'].map((name) => encodeURIComponent(name.replaceAll('/', '~1'))).join('/');
  const validate = validators.get(text) ?? ajv.getSchema(`openapi#/${pointer}`);
  if (validate === undefined) throw new Error(`the OpenAPI document has no ${place.join(' ')}`);
  validators.set(text, validate);
  return validate;
}

function statusesOf({ responses }: Operation): string {
  return Object.keys(responses).join(', ');
}

/** Forbids unknown fields in a schema. A client ignores such fields, but a test must not. */
function closed(value: unknown): Record<string, unknown> {
  const text = JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && 'properties' in member && !('additionalProperties' in member)
      ? { ...member, additionalProperties: false }
      : member,
  );
  return JSON.parse(text) as Record<string, unknown>; // the input is an object too
}
