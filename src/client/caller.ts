import type { Call } from './call.ts';
import { checkDuration, checkNames } from './check-options.ts';
import type { CallOptions } from './deadline.ts';
import { OptionError } from './errors.ts';
import { jsonOf, textOf } from './reply.ts';
import type { Transport } from './transport.ts';

type Rest = Omit<Call, 'name' | 'method' | 'path' | 'options'>;

/** Calls of one of the two APIs, by what is to be made of the answer. */
export interface Caller {
  json<T>(name: string, method: Call['method'], path: string, rest: Rest, options?: CallOptions): Promise<T>;
  /** Null where the answer has no body. */
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

/** `ready` is waited for before each call, and may throw. */
export function createCaller(transport: Transport, ready: (name: string) => Promise<void> = async () => {}): Caller {
  const send = async (name: string, method: Call['method'], path: string, rest: Rest, options: CallOptions = {}) => {
    checkNames(name, options, ['timeout', 'signal']);
    checkDuration('timeout', options.timeout);
    await ready(name);
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

/** A path of the segments, each as it may stand in one. */
export function pathOf(strings: TemplateStringsArray, ...segments: readonly string[]): string {
  return strings.map((text, at) => text + encodeURIComponent(segments[at] ?? '')).join('');
}

/** A time as the API takes it. Throws an OptionError for a Date that is none. */
export function timeOf(time: string | Date | undefined): string | undefined {
  if (!(time instanceof Date)) return time;
  if (Number.isNaN(time.getTime())) throw new OptionError('since is no time.');
  return time.toISOString();
}
