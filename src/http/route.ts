import type { z } from 'zod';
import type { Context } from '../context.ts';
import type { ApiKey } from '../domain/api-key.ts';
import { type ErrorCode, refuse } from '../domain/errors.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Reader, Tx } from '../ports/store.ts';
import { type Answer, Download, Page } from './answer.ts';
import { JSON_LIMIT, parseJson, readJsonBytes } from './body.ts';
import { type Effect, runEffect } from './effect.ts';
import type { Exchange } from './exchange.ts';
import { idempotencyKey, type Owner, performOnce, runOnce } from './once.ts';
import { type QuerySpec, readQuery } from './query.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who calls the cloud API. */
export interface Caller {
  readonly key: ApiKey;
  readonly workspace: Workspace;
}

/** Who calls the local API: nobody in particular. */
export type Anyone = Record<never, never>;

/** What a request is about, found in the caller's scope; throws `not_found`. */
export type Find<Who, Found> = (
  call: Who & { readonly ctx: Context; readonly reader: Reader; readonly params: Readonly<Record<string, string>> },
) => Promise<Found>;

export type Handled<Who, Found, Query, Body> = Who & {
  readonly ctx: Context;
  readonly found: Found;
  readonly query: Query;
  readonly body: Body;
  readonly exchange: Exchange;
};

/** The answers of a route: the schema by its status, null where there is no body. */
export type Returns<Result> = { readonly [Status in 200 | 201 | 202]?: z.ZodType<Result> | 'bytes' | 'page' } & {
  readonly 204?: null;
};

export interface Spec<Who, Found, Query, Body, Result, Prepared = undefined> {
  readonly find?: Find<Who, Found>;
  readonly query?: QuerySpec<Query>;
  readonly body?: z.ZodType<Body>;
  /** A request without a body is one with an empty object. */
  readonly bodyIsOptional?: true;
  readonly returns: Returns<Result>;
  /** Beside those any request can fail with. */
  readonly fails?: readonly ErrorCode[];
  /** Undefined is 204. */
  readonly handle?: (call: Handled<Who, Found, Query, Body>) => Promise<NoInfer<Result> | Download | Page | undefined>;
  /** In place of `handle`, for what reaches beyond the store and takes no body: once for an Idempotency-Key. */
  readonly perform?: (call: Handled<Who, Found, Query, Body>) => Promise<NoInfer<Result> | undefined>;
  /** In place of `handle`: all of it in one transaction, with the record of the Idempotency-Key where there is one. */
  readonly transact?: (
    call: Handled<Who, Found, Query, Body> & { readonly tx: Tx; readonly prepared: Prepared },
  ) => Promise<NoInfer<Result> | undefined>;
  /** What `transact` needs that takes time, made before the transaction, which others wait for. Its refusals come after `find`'s. */
  readonly prepare?: (call: { readonly ctx: Context; readonly body: Body }) => Promise<Prepared>;
  /** What was prepared was not used: a refusal, a replay, a failure. */
  readonly discard?: (ctx: Context, prepared: Prepared) => void;
  /** Of the body, bytes; 1 MiB where it is not given. */
  readonly bodyLimit?: number;
}

/** A route as the pipeline sees it: what it declares, and what it does once the caller is known and within limits. */
export interface Endpoint<Who> {
  readonly method: Method;
  readonly path: string;
  readonly declared: {
    readonly returns: Returns<unknown>;
    readonly query: QuerySpec<unknown> | undefined;
    readonly body: z.ZodType | undefined;
    readonly bodyIsOptional: boolean;
    readonly fails: readonly ErrorCode[];
  };
  run(ctx: Context, exchange: Exchange, who: Who): Promise<Answer | Download | Page>;
}

/** A route of the cloud API. */
export const route = routesFor<Caller>((who) => who.key);

/** A route of the local API. */
export const localRoute = routesFor<Anyone>(() => null);

/** `scopeOf` is whose Idempotency-Keys they are, null where they mean nothing. */
function routesFor<Who extends object>(scopeOf: (who: Who) => Owner | null) {
  return <Found = undefined, Query = undefined, Body = undefined, Result = undefined, Prepared = undefined>(
    method: Method,
    path: string,
    spec: Spec<Who, Found, Query, Body, Result, Prepared>,
  ): Endpoint<Who> => {
    const { returns, query, body, bodyIsOptional = false, fails = [] } = spec;
    const run = runnerOf(spec, scopeOf);
    return { method, path, declared: { returns, query, body, bodyIsOptional, fails }, run };
  };
}

function runnerOf<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: Spec<Who, Found, Query, Body, Result, Prepared>,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who>['run'] {
  if (spec.transact !== undefined) return transactor(spec, spec.transact, scopeOf);
  return spec.perform === undefined ? handler(spec) : performer(spec, spec.perform, scopeOf);
}

function handler<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: Spec<Who, Found, Query, Body, Result, Prepared>,
): Endpoint<Who>['run'] {
  const status = statusOf(spec.returns);
  return async (ctx, exchange, who) => {
    const found = await findFor(spec, ctx.store.read, ctx, exchange, who);
    const query = queryOf(spec, exchange);
    const body = spec.body
      ? bodyOf(spec, spec.body, await readJsonBytes(exchange, spec.bodyLimit ?? JSON_LIMIT))
      : (undefined as Body);
    const result = await spec.handle?.({ ...who, ctx, found, query, body, exchange });
    if (result instanceof Download || result instanceof Page) return result;
    return answerOf(status, result);
  };
}

function transactor<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: Spec<Who, Found, Query, Body, Result, Prepared>,
  transact: NonNullable<Spec<Who, Found, Query, Body, Result, Prepared>['transact']>,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who>['run'] {
  const status = statusOf(spec.returns);
  return async (ctx, exchange, who) => {
    const find = (reader: Reader) => findFor(spec, reader, ctx, exchange, who);
    const read = () =>
      spec.body ? readJsonBytes(exchange, spec.bodyLimit ?? JSON_LIMIT) : Promise.resolve(Buffer.alloc(0));
    const prepare = async (bytes: Buffer) => {
      const body = spec.body ? bodyOf(spec, spec.body, bytes) : (undefined as Body);
      return { body, prepared: (await spec.prepare?.({ ctx, body })) as Prepared };
    };
    const effect = async (bytes: Buffer): Promise<Effect> => {
      // Before the transaction, which others wait for; refused within it, after what comes first.
      const [ready] = await Promise.allSettled([prepare(bytes)]);
      return {
        run: async (tx) => {
          const found = await find(tx);
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
    const key = await idempotencyKey(exchange, () => find(ctx.store.read));
    if (scope !== null && key !== null) return runOnce(ctx, exchange, scope, key, { read, effect });
    // Found twice: here, so that a body for nothing is not read; in the transaction, so that it is still so.
    await find(ctx.store.read);
    return runEffect(ctx, await effect(await read()));
  };
}

function performer<Who extends object, Found, Query, Body, Result, Prepared>(
  spec: Spec<Who, Found, Query, Body, Result, Prepared>,
  perform: NonNullable<Spec<Who, Found, Query, Body, Result, Prepared>['perform']>,
  scopeOf: (who: Who) => Owner | null,
): Endpoint<Who>['run'] {
  const status = statusOf(spec.returns);
  return async (ctx, exchange, who) => {
    const find = () => findFor(spec, ctx.store.read, ctx, exchange, who);
    const act = async () => {
      const found = await find();
      const query = queryOf(spec, exchange);
      const body = undefined as Body;
      return answerOf(status, await perform({ ...who, ctx, found, query, body, exchange }));
    };
    const scope = scopeOf(who);
    const key = await idempotencyKey(exchange, find);
    return scope === null || key === null ? act() : performOnce(ctx, exchange, scope, key, act);
  };
}

// What a spec leaves out is typed undefined, so undefined is what it is given.

async function findFor<Who extends object, Found>(
  { find }: { readonly find?: Find<Who, Found> },
  reader: Reader,
  ctx: Context,
  { params }: Exchange,
  who: Who,
): Promise<Found> {
  return (await find?.({ ...who, ctx, reader, params })) as Found;
}

function queryOf<Query>({ query }: { readonly query?: QuerySpec<Query> }, exchange: Exchange): Query {
  return (query && readQuery(query, exchange.query)) as Query;
}

function statusOf(returns: Returns<unknown>): number {
  const [status = 204] = Object.keys(returns).map(Number);
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
  // A field of the wrong type is for the rules to refuse, in their order: here only what is no object fails.
  if (!parsed.success) throw refuse('invalid_body');
  return parsed.data;
}
