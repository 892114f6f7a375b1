import { OptionError } from '../errors.ts';
import { CALL, checkOptions, shown } from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { type Call, jsonOf, replyText, type Transport } from '../transport/transport.ts';
import type { Answers } from './answers.ts';
import type { AnswerForm } from './operation.ts';
import { OPERATIONS, type OperationId } from './operations.ts';

type Rest = Omit<Call, 'name' | 'method' | 'path' | 'options'>;

/**
 * Makes the calls of both APIs. `name` is the name of the call in messages; `ids` are the ids in its path, in order.
 */
export interface Caller {
  /** Calls an operation, and parses its answer in the form that the operation declares. */
  ask<Id extends OperationId>(
    name: string,
    id: Id,
    ids: readonly string[],
    rest?: Rest,
    options?: CallOptions,
  ): Promise<Answers[Id]>;
  /** Calls an operation whose answer depends on the request. `gives` and `T` are the form of this answer. */
  askFor<Id extends OperationId, T extends Answers[Id]>(
    gives: 'json' | 'jsonOrNull',
    name: string,
    id: Id,
    ids: readonly string[],
    rest?: Rest,
    options?: CallOptions,
  ): Promise<T>;
}

/** Creates a caller. Its methods throw an OptionError for an invalid id, option or body. */
export function createCaller(transport: Transport): Caller {
  // The schemas of the operations define the types of the answers, and the answers are parsed here.
  const ask = (gives: AnswerForm, name: string, id: OperationId, ids: readonly string[], rest: Rest = {}, given = {}) =>
    send(transport, { name, path: pathOf(OPERATIONS[id].path, ids), ...rest }, { id, gives, options: given });
  return {
    ask: (name, id, ...call) => ask(OPERATIONS[id].gives, name, id, ...call) as Promise<never>,
    askFor: (gives, name, id, ...call) => ask(gives, name, id, ...call) as Promise<never>,
  };
}

async function send(
  transport: Transport,
  call: Omit<Call, 'method' | 'options'>,
  { id, gives, options }: { readonly id: OperationId; readonly gives: AnswerForm; readonly options: CallOptions },
): Promise<unknown> {
  checkOptions(`The last argument of ${call.name}`, options, CALL);
  if (call.json !== undefined) checkBody(call.name, call.json);
  const reply = await transport.send({ method: OPERATIONS[id].method, ...call, options });
  switch (gives) {
    case 'json':
      return jsonOf(reply, call.name);
    case 'jsonOrNull':
      return reply.bytes.length === 0 ? null : jsonOf(reply, call.name);
    case 'nothing':
      return undefined;
    case 'bytes':
      return reply.bytes;
    case 'text':
      return replyText(reply);
  }
}

/** Builds a path and percent-encodes each id. Throws an OptionError for an id that is empty or not a string. */
function pathOf(template: string, ids: readonly string[]): string {
  let at = 0;
  return template.replace(/\{\w+\}/g, () => {
    const id = ids[at++];
    if (typeof id === 'string' && id !== '' && !LONE_SURROGATE.test(id)) return encodeURIComponent(id);
    throw new OptionError(
      `An id in ${template.replace(/\{\w+\}/g, '{id}')} must be a non-empty string; it is ${shown(id)}.`,
      'Pass the `id` that an earlier call returned.',
    );
  });
}

/** Converts a time to the string that the API accepts. */
export function timeOf(time: string | Date | undefined): string | undefined {
  return time instanceof Date ? time.toISOString() : time;
}

/** A lone surrogate, which no text encoding can represent. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Throws an OptionError for a body that JSON can't represent. The server itself checks the fields. */
function checkBody(name: string, json: unknown): void {
  if (typeof json !== 'object') throw new OptionError(`The body of ${name} must be an object; it is ${shown(json)}.`);
  try {
    JSON.stringify(json);
  } catch (cause) {
    throw new OptionError(`The body of ${name} can't be written as JSON: ${reasonOf(cause)}.`);
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : shown(cause);
}
