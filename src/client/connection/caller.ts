import { LocalOnlyError, OptionError } from '../errors.ts';
import {
  asServerSays,
  CALL,
  checkOptions,
  each,
  flag,
  listOfTexts,
  number,
  type OptionChecks,
  shown,
  text,
  time,
} from '../options/check-options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { jsonOf, replyText, type Transport } from '../transport/transport.ts';
import type { AwaitMessageQuery, CloudApi, LocalApi } from './calls.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import type { MessageSummaryResponse } from './resources.ts';

/** The calls of the cloud API, as the handles make them. */
export interface NotedApi extends CloudApi {
  /** Does the same as {@link CloudApi.awaitMessage}. `note` tells a local server what the wait is for. */
  awaitMessage(
    mailboxId: string,
    query?: AwaitMessageQuery,
    options?: CallOptions,
    note?: string | null,
  ): Promise<MessageSummaryResponse | null>;
}

/** What the calls need to know of the server beside their operations. */
interface Known {
  /** Finds the workspace of the key, which the paths of the cloud API name. */
  workspaceId(options?: CallOptions): Promise<string>;
  /** Tells whether the server has a local API. */
  hasLocalApi(): Promise<boolean>;
}

/** The arguments of a call, by their meaning. */
interface Given {
  readonly ids: readonly unknown[];
  readonly body: unknown;
  readonly query: object;
  readonly options: CallOptions;
  readonly note: string | null | undefined;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Creates a call for each operation. A call throws an OptionError for an invalid id, body, query or option. A call of the
 * local API throws a LocalOnlyError if the server has none, even if its arguments are invalid.
 */
export function createCalls(
  transport: Transport,
  known: Known,
): { readonly cloud: NotedApi; readonly local: LocalApi } {
  const cloud: Record<string, Call> = {};
  const local: Record<string, Call> = {};
  for (const [id, operation] of Object.entries<Operation>(OPERATIONS)) {
    if (isOfCloud(operation)) {
      cloud[id] = (...args) => send(transport, known, id, operation, args);
      continue;
    }
    const name = `local.${id}`;
    local[id] = async (...args) => {
      if (!(await known.hasLocalApi())) throw new LocalOnlyError(name);
      return send(transport, known, name, operation, args);
    };
  }
  // The types of the calls are generated from the same operations.
  return { cloud: cloud as unknown as NotedApi, local: local as unknown as LocalApi };
}

function isOfCloud({ path }: Operation): boolean {
  return path.startsWith('/v1/');
}

async function send(
  transport: Transport,
  known: Known,
  name: string,
  operation: Operation,
  args: readonly unknown[],
): Promise<unknown> {
  const { ids, body, query, options, note } = givenTo(operation, args);
  checkOptions(`The last argument of ${name}`, options, CALL);
  checkBody(name, operation, body);
  if (operation.query !== undefined) checkOptions(name, query, checksOf(operation.query));
  GUARDS[name]?.(query);
  const workspace = asksForWorkspace(operation) ? [await known.workspaceId(options)] : [];
  const reply = await transport.send({
    name,
    method: operation.method,
    path: pathOf(operation.path, [...workspace, ...ids]),
    ...(operation.takes === 'json' && { json: body }),
    // `checkBody` has seen that it is a text or bytes.
    ...(operation.takes === 'message' && { body: body as string | Uint8Array }),
    query: written(query),
    heldMs: HELD_MS[name]?.(query, body) ?? heldMs(operation, query),
    note,
    options,
  });
  switch (operation.gives) {
    case 'json':
      return jsonOf(reply, name);
    case 'jsonOrNull':
      return reply.bytes.length === 0 ? null : jsonOf(reply, name);
    case 'nothing':
      return undefined;
    case 'bytes':
      return reply.bytes;
    case 'text':
      return replyText(reply);
  }
}

/** Reads the arguments: the ids of the path, the body, the query and the options, as far as the operation has them. */
function givenTo(operation: Operation, args: readonly unknown[]): Given {
  const rest = [...args];
  const next = (missing: unknown) => {
    const given = rest.shift();
    return given === undefined ? missing : given;
  };
  const names = operation.path.match(PARAMETER) ?? [];
  const ids = names.slice(asksForWorkspace(operation) ? 1 : 0).map(() => next(undefined));
  const body = operation.takes === undefined ? undefined : next(operation.takes === 'json' ? {} : undefined);
  const query = operation.query === undefined ? {} : next({});
  const options = next({});
  // `checkOptions` refuses a query and options that are no objects.
  return { ids, body, query: query as object, options: options as CallOptions, note: rest[0] as string | undefined };
}

const PARAMETER = /\{\w+\}/g;

function asksForWorkspace(operation: Operation): boolean {
  return isOfCloud(operation) && operation.path.includes('{workspaceId}');
}

const CHECKS = { number, text, time, flag, list: listOfTexts };

function checksOf(query: NonNullable<Operation['query']>): OptionChecks {
  return Object.fromEntries(Object.entries(query).map(([name, kind]) => [name, CHECKS[kind]]));
}

/** Checks that forbid what the server would take, because it can't be what the caller means. */
const GUARDS: Readonly<Record<string, (query: object) => void>> = {
  // An empty variable must not delete every message.
  'local.clearMailbox': (query) => {
    if (!('query' in query) || (typeof query.query === 'string' && query.query.trim() !== '')) return;
    throw new OptionError(`The query of local.clearMailbox must be a non-empty string; it is ${shown(query.query)}.`);
  },
};

/** Builds a path and percent-encodes each id. Throws an OptionError for an id that is empty or not a string. */
function pathOf(template: string, ids: readonly unknown[]): string {
  let at = 0;
  return template.replace(PARAMETER, () => {
    const id = ids[at++];
    if (typeof id === 'string' && id !== '' && !LONE_SURROGATE.test(id)) return encodeURIComponent(id);
    throw new OptionError(
      `An id in ${template.replace(PARAMETER, '{id}')} must be a non-empty string; it is ${shown(id)}.`,
      'Pass the `id` that an earlier call returned.',
    );
  });
}

/** A lone surrogate, which no text encoding can represent. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Writes a query as the API takes it: a time as ISO 8601, a flag as 1, a list with commas. */
function written(query: object): Record<string, string | number | undefined> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]: [string, unknown]) => {
      if (value instanceof Date) return [name, value.toISOString()];
      if (Array.isArray(value)) return [name, value.join(',')];
      if (typeof value === 'boolean') return [name, value ? '1' : undefined];
      return [name, typeof value === 'string' || typeof value === 'number' ? value : undefined];
    }),
  );
}

/** Throws an OptionError for a body that can't be sent, or has a field that the operation does not know. */
function checkBody(name: string, { takes, fields }: Operation, body: unknown): void {
  if (takes === undefined) return;
  if (takes === 'message') {
    if (typeof body === 'string' || ArrayBuffer.isView(body)) return;
    throw new OptionError(`The message of ${name} must be a string or bytes; it is ${shown(body)}.`);
  }
  // Only the names are checked here. The server has rules for the values, and each may be null.
  if (fields !== undefined) checkOptions(name, body, each(fields, asServerSays));
  if (typeof body !== 'object') throw new OptionError(`The body of ${name} must be an object; it is ${shown(body)}.`);
  try {
    JSON.stringify(body);
  } catch (cause) {
    throw new OptionError(`The body of ${name} can't be written as JSON: ${reasonOf(cause)}.`);
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : shown(cause);
}

/** Returns the milliseconds for which the server may hold the request. The timeout of the call is extended by them. */
function heldMs({ held }: Operation, query: object): number | undefined {
  const timeout = secondsOf(query) ?? held;
  return timeout === undefined ? undefined : timeout * 1_000;
}

/** The milliseconds for which the server may hold a request whose query does not tell them. */
const HELD_MS: Readonly<Record<string, (query: object, body: unknown) => number>> = {
  // A spam filter may take fifteen seconds. With `reach` each link may take ten, and the server asks eight at a time.
  'local.checkMessage': (query) => ('reach' in query && query.reach === true ? 70_000 : 20_000),
  // The last try may take ten seconds more.
  'local.sendWebhook': (_query, body) => (secondsOf(body) ?? 30) * 1_000 + 10_000,
  'local.playRecording': (_query, body) => (secondsOf(body) ?? 30) * 1_000 + 10_000,
};

/** Returns the `timeout` of a query or a body in seconds. The server refuses one that is no number. */
function secondsOf(given: unknown): number | undefined {
  const timeout: unknown = Object(given).timeout;
  return typeof timeout === 'number' ? timeout : undefined;
}
