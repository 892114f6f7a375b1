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
import { type CallOptions, Deadline, jsonOf, replyText, type Server, type Transport } from '../transport/transport.ts';
import type { AwaitMessageQuery, CloudApi, LocalApi } from './calls.ts';
import {
  BODIES,
  CLOUD_OPERATIONS,
  HELD_SECONDS,
  LOCAL_OPERATIONS,
  type Operation,
  type ParameterKind,
  QUERIES,
} from './operations.ts';
import { asksForWorkspace, isDotSegment, isOfCloud, PARAMETER, pathOf, readArguments, writeQuery } from './request.ts';
import type { MessageSummaryResponse } from './resources.ts';

/** Both APIs of a server. Every handle works through it. */
export interface Api extends CloudApi {
  /**
   * The local API. It does what a dashboard does in the cloud, and what only a local server can do. Each call throws a
   * LocalOnlyError if the server has no local API.
   *
   * @example await client.local.createWorkspace({ name: 'acceptance tests' });
   */
  readonly local: LocalApi;
  /**
   * Tells whether the server has a local API. `mailcap dev` and the container have one; the cloud has none. The client
   * asks the server once.
   *
   * @example if (await client.hasLocalApi()) await client.local.reset();
   */
  hasLocalApi(): Promise<boolean>;
  /**
   * Returns the id of the key's workspace: from the settings, or else from a mailbox or webhook that the key can read.
   * Throws a MailcapError with the code `unknown_workspace` if there is none.
   *
   * @example const { key } = await client.local.createKey(await client.workspaceId());
   */
  workspaceId(): Promise<string>;
  /**
   * Returns the server that the calls go to, with the key in use. Throws a NoServerError if no server was found.
   *
   * @example const { url } = await client.server();
   */
  server(): Promise<Server>;
}

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

/** The facts about the server that the calls need beside their operations. */
interface ServerFacts {
  /** Finds the workspace of the key, which the paths of the cloud API name. */
  workspaceId(options?: CallOptions): Promise<string>;
  /** Tells whether the server has a local API. */
  hasLocalApi(): Promise<boolean>;
}

type Call = (...args: unknown[]) => Promise<unknown>;

/**
 * Creates a call for each operation. A call throws an OptionError for an invalid id, body, query or option. A call of the
 * local API throws a LocalOnlyError if the server has none, even if its arguments are invalid.
 */
export function createCalls(
  transport: Transport,
  known: ServerFacts,
): { readonly cloud: NotedApi; readonly local: LocalApi } {
  const cloud: Record<string, Call> = {};
  const local: Record<string, Call> = {};
  for (const [id, operation] of Object.entries<Operation>(CLOUD_OPERATIONS))
    cloud[id] = (...args) => send(transport, known, id, operation, args);
  for (const [id, operation] of Object.entries<Operation>(LOCAL_OPERATIONS)) {
    local[id] = async (...args) => {
      if (!(await known.hasLocalApi())) throw new LocalOnlyError(`local.${id}`);
      return send(transport, known, id, operation, args);
    };
  }
  // The types of the calls are generated from the same operations.
  return { cloud: cloud as unknown as NotedApi, local: local as unknown as LocalApi };
}

async function send(
  transport: Transport,
  known: ServerFacts,
  id: string,
  operation: Operation,
  args: readonly unknown[],
): Promise<unknown> {
  const name = isOfCloud(operation) ? id : `local.${id}`;
  const { ids, body, query, options, further } = readArguments(operation, args);
  checkOptions(`The last argument of ${name}`, options, CALL);
  const note = noteIn(name, args, further);
  checkBody(name, operation, FIELDS[id], body);
  const kinds = KINDS[id];
  if (kinds !== undefined) checkOptions(name, query, checksOf(kinds));
  checkTexts(name, query);
  GUARDS[id]?.(query);
  checkIds(operation, ids);
  const workspace = asksForWorkspace(operation) ? [await known.workspaceId(options)] : [];
  const reply = await transport.send({
    name,
    method: operation.method,
    path: pathOf(operation.path, [...workspace, ...ids]),
    ...(operation.takes === 'json' && { json: body }),
    // `checkBody` has seen that it is a text or bytes.
    ...(operation.takes === 'message' && { body: body as string | Uint8Array }),
    query: writeQuery(query),
    heldMs: HELD_MS[id]?.(query, body) ?? heldMs(id, query),
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

// These tables have a row for each operation, by its name.
const FIELDS: Readonly<Record<string, readonly string[]>> = BODIES;
const KINDS: Readonly<Record<string, Readonly<Record<string, ParameterKind>>>> = QUERIES;
const HELD: Readonly<Record<string, number>> = HELD_SECONDS;

const CHECKS = { number, text, time, flag, list: listOfTexts };

function checksOf(kinds: Readonly<Record<string, ParameterKind>>): OptionChecks {
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, CHECKS[kind]]));
}

/** Checks that forbid what the server would take, because it can't be what the caller means. */
const GUARDS: Readonly<Record<string, (query: object) => void>> = {
  // An empty variable must not delete every message.
  clearMailbox: (query) => {
    if (!('query' in query) || (typeof query.query === 'string' && query.query.trim() !== '')) return;
    throw new OptionError(`The query of local.clearMailbox must be a non-empty string; it is ${shown(query.query)}.`);
  },
};

/**
 * Returns the note of a wait, which the handles give as a text. Throws an OptionError for any other argument behind the
 * options: a signal there would be ignored.
 */
function noteIn(name: string, args: readonly unknown[], further: readonly unknown[]): string | undefined {
  const [note, ...more] = further;
  if (more.length === 0 && (note === undefined || note === null || typeof note === 'string')) return note ?? undefined;
  throw new OptionError(
    `${name} takes ${args.length - further.length} arguments at most; it got ${args.length}.`,
    'The last one may have `timeout` and `signal`.',
  );
}

/** Throws an OptionError for a text that the server would read as another one. */
function checkTexts(name: string, query: object): void {
  for (const [field, value] of Object.entries(query)) {
    if (!LONE_SURROGATE.test(Array.isArray(value) ? value.join() : String(value))) continue;
    throw new OptionError(`${field} of ${name} has half of a character; it is ${shown(value)}.`);
  }
}

/** A lone surrogate, which no text encoding can represent. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Throws an OptionError for an id that is empty or not a string, or that would lead to another path. */
function checkIds({ path }: Operation, ids: readonly unknown[]): asserts ids is readonly string[] {
  for (const id of ids) {
    if (isDotSegment(id)) throw new OptionError(`${shown(id)} is no id: a path with it leads elsewhere.`);
    if (typeof id === 'string' && id !== '' && !LONE_SURROGATE.test(id)) continue;
    throw new OptionError(
      `An id in ${path.replace(PARAMETER, '{id}')} must be a non-empty string; it is ${shown(id)}.`,
      'Pass the `id` that an earlier call returned.',
    );
  }
}

/** Throws an OptionError for a body that can't be sent, or has a field that the operation does not know. */
function checkBody(name: string, { takes }: Operation, fields: readonly string[] | undefined, body: unknown): void {
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
function heldMs(id: string, query: object): number | undefined {
  const timeout = secondsOf(query) ?? HELD[id];
  return timeout === undefined ? undefined : timeout * 1_000;
}

/** The milliseconds for which the server may hold a request whose query does not tell them. */
const HELD_MS: Readonly<Record<string, (query: object, body: unknown) => number>> = {
  // A spam filter may take fifteen seconds. With `reach` each link may take ten, and the server asks eight at a time.
  checkMessage: (query) => ('reach' in query && query.reach === true ? 70_000 : 20_000),
  // A hundred addresses, eight at a time. Each may take ten seconds, and as long again after each of three redirects.
  checkLinks: () => 520_000,
  // The last try may take ten seconds more.
  sendWebhook: (_query, body) => (secondsOf(body) ?? 30) * 1_000 + 10_000,
  playRecording: (_query, body) => (secondsOf(body) ?? 30) * 1_000 + 10_000,
};

/** Returns the `timeout` of a query or a body in seconds. The server refuses one that is no number. */
function secondsOf(given: unknown): number | undefined {
  const timeout: unknown = Object(given).timeout;
  return typeof timeout === 'number' ? timeout : undefined;
}

/** The time by which the answer of an await may come early, in milliseconds. */
const EARLY_MS = 10;

/** Makes one await after another until one has a result. Returns null after `timeoutMs` milliseconds. */
export async function awaitInTurns<Found>(
  timeoutMs: number,
  hold: (seconds: number) => Promise<Found | null>,
): Promise<Found | null> {
  const deadline = new Deadline(timeoutMs, []);
  try {
    for (;;) {
      const found = await hold(deadline.awaitSeconds);
      if (found !== null || deadline.leftMs <= EARLY_MS) return found;
    }
  } finally {
    deadline.dispose();
  }
}
