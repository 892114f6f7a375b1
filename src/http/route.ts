import { parse } from 'node:querystring';
import type { z } from 'zod';
import type { Context } from '../context.ts';
import { type ApiKey, canReadAuthenticator, canReadMailbox, canUseWebhooks } from '../domain/api-key.ts';
import type { Authenticator } from '../domain/authenticator.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { type ErrorCode, refuse, there } from '../domain/errors.ts';
import {
  type AuthenticatorId,
  type CapturedRequestId,
  type GroupId,
  type IdentityId,
  type KeyId,
  type MailboxId,
  type MessageId,
  parseUlid,
  type SendId,
  type SuppressionId,
  type TestRunId,
  type Ulid,
  type WebhookId,
  type WorkspaceId,
} from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { kindOf, type Message } from '../domain/message.ts';
import type { SuppressionEntry } from '../domain/outbound.ts';
import { type Moment, parseTime } from '../domain/time.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { getOrCreate } from '../text/maps.ts';
import type { FixedValue } from './answers.ts';
import { JSON_LIMIT, parseJson, readJsonBytes } from './body.ts';
import { type Answer, Download, type Exchange, Page } from './exchange.ts';
import { idempotencyKey, type Owner, performOnce, runEffect, runOnce, type TransactionEffect } from './idempotency.ts';

// An invalid id is unknown, and an object out of the key's scope is missing: both are a 404
// (docs/contract.md#ids-and-times).

/** Finds the key's own workspace, by `workspaceId`. */
export const workspaceOfKey: Resolver<ApiCaller, Workspace> = async ({ key, reader, params }) => {
  if (parseUlid(params['workspaceId'] ?? '') !== key.workspaceId) throw refuse('not_found');
  return there(await reader.workspaces.get(key.workspaceId));
};

/** Finds a mailbox that the key can read, by `mailboxId`. */
export const mailboxInScope: Resolver<ApiCaller, Mailbox> = async ({ key, reader, params }) => {
  const mailbox = await byId<MailboxId, Mailbox>(params['mailboxId'], (id) => reader.mailboxes.get(id));
  if (!canReadMailbox(key, mailbox)) throw refuse('not_found');
  return mailbox;
};

/** Finds a message of a mailbox that the key can read, by `mailboxId` and `id`. */
export const messageInScope: Resolver<ApiCaller, Message> = async (call) => {
  const mailbox = await mailboxInScope(call);
  const message = await anyMessage(call);
  // The cloud API has no text messages.
  if (message.mailboxId !== mailbox.id || kindOf(message) !== 'email') throw refuse('not_found');
  return message;
};

/** Finds the key's own workspace. Throws `outbound_disabled` if its plan has no outbound mail. */
export const workspaceWithOutbound: Resolver<ApiCaller, Workspace> = async (call) => {
  const workspace = await workspaceOfKey(call);
  if (!call.ctx.plans[workspace.plan].outbound) throw refuse('outbound_disabled');
  return workspace;
};

/** Finds an entry of the suppression list of the key's workspace, by `workspaceId` and `id`. */
export const suppressionEntryOfKey: Resolver<ApiCaller, SuppressionEntry> = async (call) => {
  const workspace = await workspaceWithOutbound(call);
  const { reader, params } = call;
  const entry = await byId<SuppressionId, SuppressionEntry>(params['id'], (id) => reader.suppression.get(id));
  if (entry.workspaceId !== workspace.id) throw refuse('not_found');
  return entry;
};

/** Finds an authenticator that the key can read, by `totpId`. */
export const authenticatorInScope: Resolver<ApiCaller, Authenticator> = async ({ key, reader, params }) => {
  const authenticator = await byId<AuthenticatorId, Authenticator>(params['totpId'], (id) =>
    reader.authenticators.get(id),
  );
  if (!canReadAuthenticator(key, authenticator)) throw refuse('not_found');
  return authenticator;
};

/** Finds a webhook of the key's workspace, by `webhookId`. */
export const webhookInScope: Resolver<ApiCaller, Webhook> = async ({ key, reader, params }) => {
  const webhook = await byId<WebhookId, Webhook>(params['webhookId'], (id) => reader.webhooks.get(id));
  if (webhook.workspaceId !== key.workspaceId) throw refuse('not_found');
  return webhook;
};

/** Finds a captured request of the key's workspace, by `requestId`. */
export const requestInScope: Resolver<ApiCaller, CapturedRequest> = async ({ ctx, key, reader, params }) => {
  const request = await byId<CapturedRequestId, CapturedRequest>(params['requestId'], (id) =>
    reader.requests.get(id, momentNow(ctx.clock)),
  );
  if (request.workspaceId !== key.workspaceId) throw refuse('not_found');
  return request;
};

// The resolvers of the local API find any object, by `id`, because its caller may have all of them.

export const anyWorkspace = rowById((reader, id: WorkspaceId) => reader.workspaces.get(id));
export const anyKey = rowById((reader, id: KeyId) => reader.keys.get(id));
export const anyGroup = rowById((reader, id: GroupId) => reader.groups.get(id));
export const anyAuthenticator = rowById((reader, id: AuthenticatorId) => reader.authenticators.get(id));
export const anyIdentity = rowById((reader, id: IdentityId) => reader.identities.get(id));
export const anySuppressionEntry = rowById((reader, id: SuppressionId) => reader.suppression.get(id));
export const anySend = rowById((reader, id: SendId) => reader.sends.get(id));
export const anyMailbox = rowById((reader, id: MailboxId) => reader.mailboxes.get(id));
export const anyMessage = rowById((reader, id: MessageId, now) => reader.messages.get(id, now));
export const anyWebhook = rowById((reader, id: WebhookId) => reader.webhooks.get(id));
export const anyRun = rowById((reader, id: TestRunId) => reader.runs.get(id));
export const anyRequest = rowById((reader, id: CapturedRequestId, now) => reader.requests.get(id, now));

function rowById<Id extends Ulid, Row>(
  get: (reader: Reader, id: Id, now: Moment) => Promise<Row | null>,
): Resolver<Anyone, Row> {
  return ({ ctx, reader, params }) => byId<Id, Row>(params['id'], (id) => get(reader, id, momentNow(ctx.clock)));
}

async function byId<Id extends Ulid, Row>(
  text: string | undefined,
  get: (id: Id) => Promise<Row | null>,
): Promise<Row> {
  const id = parseUlid<Id>(text ?? '');
  return there(id === null ? null : await get(id));
}

/**
 * Throws `not_found` for a mailbox that the key's explicit scope does not name, whether it exists or not, and for every
 * path of webhooks if the key has none.
 */
export function checkScope({ key }: ApiCaller, path: string, params: Readonly<Record<string, string>>): void {
  if (isOfWebhooks(path) && !canUseWebhooks(key)) throw refuse('not_found');
  const { mailboxId } = params;
  const { mailboxes } = key.scopes;
  if (mailboxId === undefined || mailboxes === 'all') return;
  const id = parseUlid<MailboxId>(mailboxId);
  if (id === null || !mailboxes.includes(id)) throw refuse('not_found');
}

function isOfWebhooks(path: string): boolean {
  return path === '/v1/webhooks' || path.startsWith('/v1/webhooks/');
}

/** A query parameter: its parser and its default. */
export interface Param<T> {
  /** `flag` is 1 or 0, `list` has commas between its parts. The client writes both, and a time, as the text. */
  readonly kind: 'whole' | 'text' | 'ulid' | 'time' | 'flag' | 'list';
  /** Parses the text; null if it is invalid. */
  parse(text: string): T | null;
  readonly fallback: T;
  readonly code: ErrorCode | null;
  readonly min?: number;
  readonly max?: number;
  /** All valid texts, if they are few. */
  readonly texts?: readonly string[];
  /** The request is refused without it. */
  readonly isRequired?: true;
  /** The description of the parameter in the OpenAPI document. */
  readonly about?: string | undefined;
}

export type QuerySpec<Q> = { readonly [Name in keyof Q]: Param<Q[Name]> };

/** Creates a parameter for a whole number, which is clamped to its range. */
export function whole(min: number, max: number, fallback: number, code: ErrorCode, about?: string): Param<number> {
  return {
    kind: 'whole',
    parse: (text) => (/^-?\d+$/.test(text) ? Math.min(max, Math.max(min, Number(text))) : null),
    fallback,
    code,
    min,
    max,
    about,
  };
}

export function textParam(about?: string): Param<string> {
  return { kind: 'text', parse: (given) => given, fallback: '', code: null, about };
}

export function ulid<Id extends Ulid>(code: ErrorCode, about?: string): Param<Id | undefined> {
  return { kind: 'ulid', parse: (given) => parseUlid<Id>(given), fallback: undefined, code, about };
}

/** The most ids in one request for previews, which is more than a screen shows. */
const MAX_PREVIEWS = 100;

/** Creates a parameter for some ids with commas between them. */
export function someIds<Id extends Ulid>(): Param<readonly Id[]> {
  return {
    kind: 'list',
    parse: (text) => {
      const given = text.split(',').map((id) => parseUlid<Id>(id.trim()));
      const known = given.filter((id) => id !== null);
      return known.length === given.length && known.length <= MAX_PREVIEWS ? known : null;
    },
    fallback: [],
    code: 'invalid_ids',
    about: `Ids with commas between them, at most ${MAX_PREVIEWS}`,
  };
}

/** Creates a parameter that is one of these texts. */
export function oneOf<Text extends string, Fallback>(
  texts: readonly Text[],
  fallback: Fallback,
  code: ErrorCode,
  about: string,
): Param<Text | Fallback> {
  return { kind: 'text', parse: (given) => texts.find((text) => text === given) ?? null, fallback, code, texts, about };
}

/** Creates a parameter for search words. The handler parses them, because their times go by the clock of a workspace. */
export function searchText(about: string): Param<string> {
  return { ...textParam(about), code: 'invalid_query' };
}

export function flag(code: ErrorCode, about: string, fallback = false): Param<boolean> {
  return {
    kind: 'flag',
    parse: (given) => (/^(?:1|true)$/i.test(given) ? true : /^(?:0|false)$/i.test(given) ? false : null),
    fallback,
    code,
    about,
  };
}

/** Tells whether a parameter is in the query, even if it is empty. */
export function isGiven(name: string, query: string): boolean {
  return Object.hasOwn(parse(query, '&', '=', { maxKeys: MAX_PAIRS }), name);
}

/** Returns the given values of these parameters. Parameters that are not given are left out. */
export function readTexts(names: readonly string[], query: string): Record<string, string> {
  const given = parse(query, '&', '=', { maxKeys: MAX_PAIRS });
  const entries = names.map((name) => [name, lastOf(given[name])] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Creates a parameter for a time, in milliseconds since 1970. */
export function timeParam(code: ErrorCode, about?: string): Param<number | undefined> {
  return { kind: 'time', parse: parseTime, fallback: undefined, code, about };
}

const MAX_PAIRS = 100;

/** Reads the parameters that a route declares and ignores others. If a parameter repeats, the last one counts. */
export function readQuery<Q>(spec: QuerySpec<Q>, query: string): Q {
  const given = query === '' ? {} : parse(query, '&', '=', { maxKeys: MAX_PAIRS });
  const entries = Object.entries<Param<unknown>>(spec).map(([name, param]) => [name, valueFrom(param, given[name])]);
  // The parameter of each name made its value, so the types match.
  return Object.fromEntries(entries) as Q;
}

/** Returns the last value of a parameter that repeats. */
function lastOf(given: string | string[] | undefined): string | undefined {
  return Array.isArray(given) ? given.at(-1) : given;
}

function valueFrom(param: Param<unknown>, given: string | string[] | undefined): unknown {
  const last = lastOf(given);
  // An empty parameter counts as not given (docs/api.md#limits).
  if (last === undefined || last === '') return param.fallback;
  const value = param.parse(last);
  if (value === null) throw refuse(param.code ?? 'invalid_body');
  return value;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The caller of the cloud API. */
export interface ApiCaller {
  readonly key: ApiKey;
  readonly workspace: Workspace;
}

/** The caller of the local API, who has no identity. */
export type Anyone = Record<never, never>;

/** Finds the object of a request in the caller's scope. Throws `not_found`. */
export type Resolver<Who, Found> = (
  call: Who & { readonly ctx: Context; readonly reader: Reader; readonly params: Readonly<Record<string, string>> },
) => Promise<Found>;

export type HandlerCall<Who, Found, Query, Body> = Who & {
  readonly ctx: Context;
  readonly found: Found;
  readonly query: Query;
  readonly body: Body;
  readonly exchange: Exchange;
};

/**
 * Handles a request. An undefined result becomes a 204. `read` is the reader that found the object. After a wait it is
 * outdated, and a handler needs the reader of the store.
 */
export type Handler<Who, Found, Query, Body, Result> = (
  call: HandlerCall<Who, Found, Query, Body> & { readonly read: Reader },
) => Promise<FixedValue<NoInfer<Result>> | Download | Page | undefined> | Promise<void>;

/** The schema of each status that a route answers with; null if there is no body. */
export type Returns<Result> = { readonly [Status in 200 | 201 | 202]?: z.ZodType<Result> | 'bytes' | 'page' } & {
  readonly 204?: null;
};

const NOTHING: Returns<never> = { 204: null };

export interface Spec<Who, Found, Query, Body, Result, Prepared = undefined> {
  readonly resolve?: Resolver<Who, Found>;
  readonly query?: QuerySpec<Query>;
  readonly body?: z.ZodType<Body>;
  /** Accepts a request without a body as one with an empty object. */
  readonly bodyIsOptional?: true;
  /**
   * The error codes of this route, beside those of its query and those that any request can have. For a route of the
   * cloud API these are the codes that docs/api.md names.
   */
  readonly fails?: readonly ErrorCode[];
  readonly handle?: Handler<Who, Found, Query, Body, Result>;
  /**
   * Handles a request without a body that acts beyond the store, and answers 204. It replaces `handle` and runs once for
   * an Idempotency-Key.
   */
  readonly perform?: (call: { readonly ctx: Context; readonly found: Found }) => Promise<void>;
  /** Handles the request in one transaction, which includes the record of the Idempotency-Key. It replaces `handle`. */
  readonly transact?: (
    call: HandlerCall<Who, Found, Query, Body> & { readonly tx: Tx; readonly prepared: Prepared },
  ) => Promise<FixedValue<NoInfer<Result>> | undefined> | Promise<void>;
  /**
   * Prepares slow data for `transact` before the transaction, because the transaction blocks others. Its refusals come
   * after `resolve`'s.
   */
  readonly prepare?: (call: { readonly ctx: Context; readonly found: Found; readonly body: Body }) => Promise<Prepared>;
  /** Releases prepared data that was not used, after a refusal, a replay or a failure. */
  readonly discard?: (ctx: Context, prepared: Prepared) => void;
  /** The largest body in bytes; 1 MiB if left out. */
  readonly bodyLimit?: number;
  /** Takes a body of any media type as JSON. The guard of the local API refuses the forms of foreign pages. */
  readonly bodyOfAnyType?: true;
}

/** A route of this API, whose answers its document describes. */
export interface DescribedSpec<Who, Found, Query, Body, Result, Prepared = undefined>
  extends Spec<Who, Found, Query, Body, Result, Prepared> {
  /** No body, if left out. */
  readonly returns?: Returns<Result>;
}

/** A route as the pipeline sees it: its declaration, and its work once the caller is known and within the limits. */
export interface Endpoint<Who> {
  readonly method: Method;
  readonly path: string;
  /** Null for a page, which no OpenAPI document describes. */
  readonly about: OperationDoc | null;
  readonly declared: {
    readonly returns: Returns<unknown>;
    readonly query: QuerySpec<unknown> | undefined;
    readonly body: z.ZodType | undefined;
    readonly bodyIsOptional: boolean;
    readonly fails: readonly ErrorCode[];
  };
  run(ctx: Context, exchange: Exchange, who: Who): Promise<Answer | Download | Page>;
}

/** Declares a route of the cloud API. */
export const route = routesFor<ApiCaller>((who) => who.key);

/** Declares a route of the local API. */
export const localRoute = routesFor<Anyone>(() => null);

/** Declares the route of a page or of a file. */
export function pageRoute(path: string, handle: ForeignHandler): Endpoint<Anyone> {
  return foreignRoute('GET', path, handle);
}

/** Handles a request of another product's API for the object that was found. */
export type ForeignHandler<Found = undefined> = Handler<Anyone, Found, undefined, undefined, unknown>;

/**
 * Declares a route of another product's API, by its handler alone if it has no other part. No document of this API
 * describes it. Programs in Go or with curl send JSON without its media type, and those products read it.
 */
export function foreignRoute<Found = undefined, Body = undefined>(
  method: Method,
  path: string,
  given: Spec<Anyone, Found, undefined, Body, unknown> | Handler<Anyone, Found, undefined, Body, unknown>,
): Endpoint<Anyone> {
  const spec = typeof given === 'function' ? { handle: given } : given;
  return endpointOf(method, path, { ...spec, returns: {}, bodyOfAnyType: true }, null, () => null);
}

/** Declares a route of one of the two APIs. */
export type RouteDeclaration<Who extends object> = ReturnType<typeof routesFor<Who>>;

/**
 * Creates the function that declares routes. `scopeOf` returns the owner of Idempotency-Keys, or null if they are
 * ignored.
 */
function routesFor<Who extends object>(scopeOf: (who: Who) => Owner | null) {
  return <Found = undefined, Query = undefined, Body = undefined, Result = undefined, Prepared = undefined>(
    method: Method,
    path: string,
    operation: OperationDoc & DescribedSpec<Who, Found, Query, Body, Result, Prepared>,
  ): Endpoint<Who> => endpointOf(method, path, operation, operation, scopeOf);
}

function endpointOf<Who extends object, Found, Query, Body, Result, Prepared>(
  method: Method,
  path: string,
  spec: DescribedSpec<Who, Found, Query, Body, Result, Prepared>,
  about: OperationDoc | null,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who> {
  const { returns = NOTHING, query, body, bodyIsOptional = false, fails = [] } = spec;
  const withoutTx = spec.perform === undefined ? handler(spec) : performer(spec, spec.perform, scopeOf);
  const run = spec.transact === undefined ? withoutTx : transactor(spec, spec.transact, scopeOf);
  return { method, path, about, declared: { returns, query, body, bodyIsOptional, fails }, run };
}

function handler<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: DescribedSpec<Who, Found, Query, Body, Result, Prepared>,
): Endpoint<Who>['run'] {
  const status = statusOf(spec);
  return async (ctx, exchange, who) => {
    const reader = spec.resolve === undefined ? ctx.store.read : await ctx.store.readNow();
    const found = await resolveFor(spec, reader, ctx, exchange, who);
    const query = queryOf(spec, exchange);
    const body = spec.body
      ? bodyOf(spec, spec.body, await readJsonBytes(exchange, spec.bodyLimit ?? JSON_LIMIT, spec.bodyOfAnyType))
      : (undefined as Body);
    // A client may take its time for a body.
    const read = spec.body === undefined ? reader : ctx.store.read;
    const result = await spec.handle?.({ ...who, ctx, read, found, query, body, exchange });
    if (result instanceof Download || result instanceof Page) return result;
    return answerOf(status, result);
  };
}

function transactor<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: DescribedSpec<Who, Found, Query, Body, Result, Prepared>,
  transact: NonNullable<Spec<Who, Found, Query, Body, Result, Prepared>['transact']>,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who>['run'] {
  const status = statusOf(spec);
  return async (ctx, exchange, who) => {
    const resolve = (reader: Reader) => resolveFor(spec, reader, ctx, exchange, who);
    const resolveEarly = async () => resolve(await ctx.store.readNow());
    const read = () =>
      spec.body ? readJsonBytes(exchange, spec.bodyLimit ?? JSON_LIMIT) : Promise.resolve(Buffer.alloc(0));
    const prepare = async (bytes: Buffer) => {
      const body = spec.body ? bodyOf(spec, spec.body, bytes) : (undefined as Body);
      if (spec.prepare === undefined) return { body, prepared: undefined as Prepared };
      return { body, prepared: await spec.prepare({ ctx, found: await resolveEarly(), body }) };
    };
    const effect = async (bytes: Buffer): Promise<TransactionEffect> => {
      // This runs before the transaction, which blocks others. Its refusal is thrown within the transaction, after
      // earlier refusals.
      const [ready] = await Promise.allSettled([prepare(bytes)]);
      return {
        run: async (tx) => {
          const found = await resolve(tx);
          const query = queryOf(spec, exchange);
          if (ready.status === 'rejected') throw ready.reason;
          return answerOf(status, await transact({ ...who, ctx, found, query, ...ready.value, exchange, tx }));
        },
        discard: () => {
          if (ready.status === 'fulfilled') spec.discard?.(ctx, ready.value.prepared);
        },
      };
    };
    const scope = scopeOf(who);
    const key = await idempotencyKey(exchange, resolveEarly);
    if (scope !== null && key !== null) return runOnce(ctx, exchange, scope, key, { read, effect });
    // The object is looked up twice: before the body is read, to refuse early, and in the transaction, to be sure that
    // it still exists.
    await resolveEarly();
    return runEffect(ctx, await effect(await read()));
  };
}

function performer<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: DescribedSpec<Who, Found, Query, Body, Result, Prepared>,
  perform: NonNullable<Spec<Who, Found, Query, Body, Result, Prepared>['perform']>,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who>['run'] {
  return async (ctx, exchange, who) => {
    const resolve = async () => resolveFor(spec, await ctx.store.readNow(), ctx, exchange, who);
    const act = async () => {
      await perform({ ctx, found: await resolve() });
      return { status: 204, body: null };
    };
    const scope = scopeOf(who);
    const key = await idempotencyKey(exchange, resolve);
    return scope === null || key === null ? act() : performOnce(ctx, exchange, scope, key, act);
  };
}

// The types of a spec's missing parts are undefined, so undefined is passed for them.

async function resolveFor<Who extends object, Found>(
  { resolve }: { readonly resolve?: Resolver<Who, Found> },
  reader: Reader,
  ctx: Context,
  { params }: Exchange,
  who: Who,
): Promise<Found> {
  return (await resolve?.({ ...who, ctx, reader, params })) as Found;
}

function queryOf<Query>({ query }: { readonly query?: QuerySpec<Query> }, exchange: Exchange): Query {
  return (query && readQuery(query, exchange.query)) as Query;
}

function statusOf({ returns = NOTHING }: { readonly returns?: Returns<unknown> }): number {
  const [status = 200] = Object.keys(returns).map(Number);
  return status;
}

function answerOf(status: number, result: unknown): Answer {
  return result === undefined ? { status: 204, body: null } : { status, body: JSON.stringify(result) };
}

function bodyOf<Body>(
  { bodyIsOptional }: { readonly bodyIsOptional?: true },
  schema: z.ZodType<Body>,
  bytes: Buffer,
): Body {
  const parsed = schema.safeParse(bodyIsOptional === true && bytes.length === 0 ? {} : parseJson(bytes));
  // The rules refuse fields of the wrong type in their order. Here only a body that is no object fails.
  if (!parsed.success) throw refuse('invalid_body');
  return parsed.data;
}

/** The description of an operation. The OpenAPI documents, `/docs` and the tables of docs/ are built from it. */
interface OperationDoc {
  /** The name of the operation in a generated client; no other operation of the two APIs has it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** An example of a valid request body. */
  readonly example?: unknown;
  /** The media type of a request body that is not JSON. */
  readonly takes?: readonly string[];
  /** The media type of an answer that is not JSON, and the status of an answer without a schema. */
  readonly gives?: { readonly type?: string; readonly status?: number };
  /** `true` if the operation needs no key and no token, wherever the server listens. */
  readonly isOpen?: true;
}

/** The operations of an API under one heading. */
export interface RouteGroup<Who> {
  readonly name: string;
  readonly description: string;
  readonly routes: readonly Endpoint<Who>[];
}

/** Returns the routes of all groups, in their order. */
export function routesOf<Who>(groups: readonly RouteGroup<Who>[]): Endpoint<Who>[] {
  return groups.flatMap(({ routes }) => routes);
}

/** Groups routes by path and method. A path with a parameter comes after those whose segments it would match. */
export function byPath<Route extends { readonly path: string; readonly method: string }>(
  routes: readonly Route[],
): (readonly [path: string, methods: ReadonlyMap<string, Route>])[] {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) getOrCreate(paths, route.path, () => new Map()).set(route.method, route);
  const parameters = (path: string) => path.split('/:').length;
  return [...paths].sort(([one], [other]) => parameters(one) - parameters(other));
}
