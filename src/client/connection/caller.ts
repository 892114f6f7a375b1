import { OptionError } from '../errors.ts';
import { CALL, checkOptions } from '../options/check-options.ts';
import { shown } from '../options/shown.ts';
import type { Call } from '../transport/call.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { jsonOf, textOf } from '../transport/reply.ts';
import type { Transport } from '../transport/transport.ts';

type Rest = Omit<Call, 'name' | 'method' | 'path' | 'options'>;

/** Makes the calls of one of the two APIs. Each method reads the answer in its own way. */
export interface Caller {
  json<T>(name: string, method: Call['method'], path: string, rest: Rest, options?: CallOptions): Promise<T>;
  /** Resolves with null if the answer has no body. */
  jsonOrNull<T>(
    name: string,
    method: Call['method'],
    path: string,
    rest: Rest,
    options?: CallOptions,
  ): Promise<T | null>;
  nothing(name: string, method: Call['method'], path: string, rest: Rest, options?: CallOptions): Promise<void>;
  bytes(name: string, path: string, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>>;
  text(name: string, path: string, options?: CallOptions): Promise<string>;
}

/** Creates a caller. Its methods throw an OptionError for an invalid option or body. */
export function createCaller(transport: Transport): Caller {
  const send = async (name: string, method: Call['method'], path: string, rest: Rest, options: CallOptions = {}) => {
    checkOptions(`The last argument of ${name}`, options, CALL);
    if (rest.json !== undefined) checkBody(name, rest.json);
    return transport.send({ name, method, path, ...rest, options });
  };
  return {
    json: async (name, method, path, rest, options) => jsonOf(await send(name, method, path, rest, options), name),
    jsonOrNull: async (name, method, path, rest, options) => {
      const reply = await send(name, method, path, rest, options);
      return reply.bytes.length === 0 ? null : jsonOf(reply, name);
    },
    nothing: async (name, method, path, rest, options) => {
      await send(name, method, path, rest, options);
    },
    bytes: async (name, path, options) => (await send(name, 'GET', path, {}, options)).bytes,
    text: async (name, path, options) => textOf(await send(name, 'GET', path, {}, options)),
  };
}

/** Builds a path and percent-encodes each segment. Throws an OptionError for an id that is empty or no text. */
export function pathOf(strings: TemplateStringsArray, ...segments: readonly string[]): string {
  for (const segment of segments) {
    if (typeof segment === 'string' && segment !== '' && !LONE_SURROGATE.test(segment)) continue;
    throw new OptionError(
      `An id must be a text that is not empty; one in ${strings.join('{id}')} is ${shown(segment)}.`,
      'Is it the `id` of what a call returned?',
    );
  }
  return strings.map((text, at) => text + encodeURIComponent(segments[at] ?? '')).join('');
}

/** Converts a time to the text that the API takes. */
export function timeOf(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}

/** A lone surrogate, which no text encoding can represent. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Throws an OptionError for a body that JSON can't represent. The server itself checks the fields. */
function checkBody(name: string, json: unknown): void {
  if (typeof json !== 'object') throw new OptionError(`${name} must be given an object; it is ${shown(json)}.`);
  try {
    JSON.stringify(json);
  } catch (cause) {
    throw new OptionError(`${name} was given what can't be written as JSON: ${reasonOf(cause)}.`);
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : shown(cause);
}
