import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { MailRefused } from '../actions/receive-message.ts';
import { timeIn } from '../actions/time.ts';
import { findKey } from '../actions/workspaces.ts';
import type { Context } from '../context.ts';
import { ApiError, type ErrorCode, refuse } from '../domain/errors.ts';
import type { IdempotencyRecord } from '../domain/idempotency.ts';
import type { WorkspaceId } from '../domain/ids.ts';
import { PROVIDERS_PATH } from '../domain/provider.ts';
import type { MAIL_REFUSALS } from '../domain/smtp.ts';
import type { Tx } from '../ports/store.ts';
import { realTime } from '../ports/system.ts';
import {
  answerText,
  type Door,
  type DoorAnswer,
  type DoorBody,
  type DoorCall,
  type DoorField,
  DoorRefusal,
  type DoorRoute,
  type ProblemKind,
  problemOf,
} from '../providers/door.ts';
import { DOORS, doorNamed } from '../providers/table.ts';
import { claimsJson, contentType, isEncoded, isModestJson, parseJson, readBytes } from './body.ts';
import { pairs } from './capture.ts';
import { seededWorkspaceId } from './compat/shared.ts';
import { type Answer, Download, type Exchange, fileHeaders, respond, respondError } from './exchange.ts';
import { hashOf, replayable, runEffect } from './idempotency.ts';
import { checkProviderKey } from './local/guard.ts';
import { byPath } from './route.ts';

// This module serves the APIs of mail providers (docs/providers.md): who may call them, what a request holds, and the
// refusals that any request can meet. What a provider's API does is in src/providers.

/** Makes the handler of a path. `answer` writes the answer, `faultForm` those of the fault rules. */
type ServePath = (
  path: string,
  answer: (exchange: Exchange) => Promise<void>,
  faultForm?: Exchange['faultForm'],
) => RequestHandler;

/** Returns what answers the requests below `/providers/`. `serveNothing` answers those for a provider that there is not. */
export function providersApp(
  ctx: Context,
  serve: ServePath,
  serveNothing: (exchange: Exchange) => Promise<void>,
): RequestHandler {
  const routes = Router({ caseSensitive: true, strict: true });
  for (const door of Object.values(DOORS)) {
    for (const [below, methods] of byPath(door.routes)) {
      const path = `${PROVIDERS_PATH}${door.name}${below}`;
      routes
        .route(path)
        .all(serve(path, (exchange) => serveProvider(ctx, exchange, door, methods), faultsOf(ctx, door)));
    }
  }
  routes.use((req, res, next) => {
    const url = plainUrl(req.url);
    if (url === req.url) return next();
    req.url = url;
    routes(req, res, next);
  });
  const unknown = serve('unknown', (exchange) => {
    const door = doorNamed(exchange.path.split('/')[2] ?? '');
    return door === null ? serveNothing(exchange) : serveProvider(ctx, exchange, door, new Map());
  });
  routes.use(unknown);
  // Express itself refuses only a path that can't be decoded.
  const undecodable: ErrorRequestHandler = (_error, req, res, next) => unknown(req, res, next);
  routes.use(undecodable);
  return routes;
}

/** Returns the URL of a request without the slashes that SDKs and base URLs add. */
function plainUrl(url: string): string {
  return url.replace(/^(\/providers\/[a-z]+\/)\/+/, '$1').replace(/\/(?=\?|$)/, '');
}

/** Serves a request to the API of a provider. A path that it does not have has no methods. */
async function serveProvider(
  ctx: Context,
  exchange: Exchange,
  door: Door,
  methods: ReadonlyMap<string, DoorRoute>,
): Promise<void> {
  try {
    const route = methods.get(exchange.req.method ?? '');
    let reading: Promise<WholeBody> | undefined;
    const body = () => (reading ??= readWhole(exchange, door));
    const workspaceId = await callerOf(ctx, exchange, door, route?.isOpen === true, body);
    if (route === undefined) throw refuse(methods.size === 0 ? 'not_found' : 'method_not_allowed');
    const call = readCall(ctx, exchange, door, workspaceId, await body());
    const answer = await route.handle(call);
    const { file } = answer;
    if (file === undefined) await respond(exchange, toAnswer(answer));
    // A browser saves a file, and does not run it.
    else await respond(exchange, Download.of(file.content, fileHeaders(file.type, file.name)));
  } catch (error) {
    const answer = answerTo(error, exchange, door);
    if (answer === null) respondError(exchange, error, ctx.log);
    else await respond(exchange, toAnswer(answer));
  }
}

/** Returns the workspace of the caller. Throws `unauthorized` and `forbidden`. */
async function callerOf(
  ctx: Context,
  exchange: Exchange,
  door: Door,
  isOpen: boolean,
  body: () => Promise<WholeBody>,
): Promise<WorkspaceId> {
  if (isOpen) {
    await checkProviderKey(ctx, exchange, '', true);
    return seededWorkspaceId(ctx);
  }
  let given = door.keyOf(exchange.req.headers);
  if (given === null) {
    // A page of another site learns nothing, not even that its key is missing.
    await checkProviderKey(ctx, exchange, '', true);
    given = door.keyIn?.((await body()).body) ?? null;
    if (given === null) throw door.refusal(problemOf('missing_key'), urlBelow(exchange, door));
  }
  const key = await findKey(await ctx.store.readNow(), given);
  await checkProviderKey(ctx, exchange, given, key !== null);
  return key?.workspaceId ?? seededWorkspaceId(ctx);
}

/** A body, and its bytes. */
interface WholeBody {
  readonly bytes: Buffer;
  readonly body: DoorBody;
}

async function readWhole(exchange: Exchange, door: Door): Promise<WholeBody> {
  const bytes = await readBytes(exchange, door.bodyLimit);
  const body = await readBody(exchange, bytes);
  return { bytes, body: { ...body, shown: door.withoutKeys?.(body.shown) ?? body.shown } };
}

function readCall(
  ctx: Context,
  exchange: Exchange,
  door: Door,
  workspaceId: WorkspaceId,
  { bytes, body }: WholeBody,
): DoorCall {
  const { req, params, query } = exchange;
  const url = urlBelow(exchange, door);
  return {
    ...{ ctx, door, workspaceId, params, body, url },
    origin: originOf(ctx, req),
    method: req.method ?? '',
    headers: req.headers,
    shownHeaders: shownHeaders(req.rawHeaders, door),
    query: new URLSearchParams(query),
    ...exchange.client,
    once: (change, discard = () => {}) => once(ctx, exchange, { door, workspaceId, bytes, change, discard }),
  };
}

/** Returns the URL of the server as the client of a request reaches it. */
function originOf({ config }: Context, { headers, socket }: Exchange['req']): string {
  if (config.publicUrl !== null) return config.publicUrl.replace(/\/$/, '');
  return `${config.https === 'on' ? 'https' : 'http'}://${headers.host ?? `127.0.0.1:${socket.localPort ?? 0}`}`;
}

/** Returns the path below the provider's, with the query. */
function urlBelow({ path, query }: Exchange, { name }: Door): string {
  return path.slice(PROVIDERS_PATH.length + name.length) + (query === '' ? '' : `?${query}`);
}

/** The header fields that say nothing about a mail. */
const UNSHOWN: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
]);

function shownHeaders(raw: readonly string[], { secrets = ['authorization'] }: Door): (readonly [string, string])[] {
  const isSecret = (name: string) => [...secrets, 'cookie'].includes(name.toLowerCase());
  const shown = pairs(raw).filter(([name]) => !UNSHOWN.has(name.toLowerCase()));
  return shown.map(([name, value]) => [name, isSecret(name) ? '(left out)' : value]);
}

/** The beginning of a body that a message shows: some more than is kept. */
const SHOWN_BYTES = 512 * 1024;
/** The fields of a form, at most. */
const MOST_FIELDS = 10_000;

function countOf(bytes: Buffer, byte: number | string): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at !== -1 && count <= MOST_FIELDS; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}

/** Reads a body by its type. Throws `invalid_body` and `unsupported_media_type`. */
async function readBody(exchange: Exchange, bytes: Buffer): Promise<DoorBody> {
  const { type } = contentType(exchange);
  if (bytes.length === 0) return { kind: 'none', shown: '' };
  if (isEncoded(exchange)) throw refuse('unsupported_media_type');
  if (type === 'application/x-www-form-urlencoded') {
    if (countOf(bytes, 0x26) > MOST_FIELDS) throw refuse('invalid_body');
    const fields = [...new URLSearchParams(bytes.toString('utf8'))].map(([name, value]) => ({ name, value }));
    return formOf(fields);
  }
  if (type === 'multipart/form-data') return formOf(await multipart(exchange, bytes));
  if (!claimsJson(exchange)) throw refuse('unsupported_media_type');
  if (!(await isModestJson(bytes))) throw refuse('invalid_body');
  return { kind: 'json', value: parseJson(bytes), shown: bytes.subarray(0, SHOWN_BYTES).toString('utf8') };
}

async function multipart({ req }: Exchange, bytes: Buffer): Promise<DoorField[]> {
  const boundary = /boundary="?([^";,]{1,70})/i.exec(req.headers['content-type'] ?? '')?.[1] ?? '';
  if (boundary === '' || countOf(bytes, `--${boundary}`) > MOST_FIELDS) throw refuse('invalid_body');
  const headers = { 'content-type': req.headers['content-type'] ?? '' };
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(bytes), { headers }).formData();
  } catch (cause) {
    throw refuse('invalid_body', {}, { cause });
  }
  const fields: DoorField[] = [];
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.push({ name, value });
    else {
      const content = Buffer.from(await value.arrayBuffer());
      fields.push({ name, value: '', file: { name: value.name, type: value.type, content } });
    }
  }
  return fields;
}

function formOf(fields: readonly DoorField[]): DoorBody {
  const shown = fields.map(({ name, value, file }) =>
    file === undefined ? `${name}: ${value}` : `${name}: (the file ${file.name} with ${file.content.length} bytes)`,
  );
  return { kind: 'form', fields, shown: shown.join('\n') };
}

interface Once {
  readonly door: Door;
  readonly workspaceId: WorkspaceId;
  readonly bytes: Buffer;
  readonly change: (tx: Tx) => Promise<DoorAnswer>;
  readonly discard: () => void;
}

/** Runs a change unless the answer for its Idempotency-Key is recorded. A refusal is not recorded: nothing was done. */
async function once(
  ctx: Context,
  exchange: Exchange,
  { door, workspaceId, bytes, change, discard }: Once,
): Promise<DoorAnswer> {
  const { req, path } = exchange;
  const { idempotency } = door;
  const given = req.method === 'POST' ? req.headers['idempotency-key'] : undefined;
  let answer: DoorAnswer | null = null;
  const run = async (tx: Tx): Promise<Answer> => {
    answer = await change(tx);
    return { status: answer.status, body: answerText(answer) };
  };
  if (idempotency === undefined || typeof given !== 'string') {
    const done = await runEffect(ctx, { run, discard });
    return answer ?? fromRecord(done);
  }
  if (given === '' || given.length > idempotency.longestKey) {
    discard();
    throw refuse('invalid_idempotency_key');
  }
  const id = `provider ${workspaceId} ${door.name} ${req.method} ${path} ${given}`;
  const bodyHash = hashOf(bytes);
  const recorded = await runEffect(ctx, { run, discard }, async (tx, act) => {
    const before = await replayable(ctx, tx, id, workspaceId);
    if (before !== null) {
      if (before.bodyHash !== bodyHash) throw new DoorRefusal(idempotency.reused);
      return { status: before.status, body: before.body };
    }
    const { status, body } = await act(tx);
    const record: IdempotencyRecord = {
      ...{ id, workspaceId, status, body, bodyHash, headers: {} },
      createdAt: await timeIn(ctx, tx, workspaceId),
      storedAt: realTime(ctx.clock),
    };
    await tx.idempotency.put(record);
    return { status, body };
  });
  return fromRecord(recorded);
}

function fromRecord({ status, body }: Answer): DoorAnswer {
  return { status, ...(body !== null && { body, type: JSON_TYPE }) };
}

const JSON_TYPE = 'application/json; charset=utf-8';

function toAnswer(answer: DoorAnswer): Answer {
  const { status, headers = {}, type } = answer;
  return { status, body: answerText(answer), headers, ...(type !== undefined && { type }) };
}

/** The problems that providers answer with a status, the likeliest first. */
const FAULT_KINDS: Readonly<Record<number, readonly ProblemKind[]>> = {
  401: ['wrong_key', 'missing_key'],
  403: ['wrong_key', 'foreign_page'],
  413: ['too_large'],
  429: ['rate_limited'],
  500: ['broken'],
  502: ['broken'],
  503: ['unavailable'],
  504: ['broken'],
};

/** Returns what writes the answers of fault rules as a provider does, with its header fields of a limit. */
function faultsOf({ clock }: Context, door: Door): NonNullable<Exchange['faultForm']> {
  return (status, path) => {
    const url = path.slice(PROVIDERS_PATH.length + door.name.length);
    const answers = FAULT_KINDS[status]?.map((kind) => door.refusal({ ...problemOf(kind), status }, url).answer) ?? [];
    const answer = answers.find((one) => one.status === status) ?? answers[0];
    if (answer === undefined) return null;
    const limits = status === 429 ? (door.limitHeaders?.(Math.floor(clock.now() / 1_000)) ?? {}) : {};
    return toAnswer({ ...answer, headers: { ...limits, ...answer.headers } });
  };
}

const KINDS: Readonly<Partial<Record<ErrorCode, ProblemKind>>> = {
  unauthorized: 'wrong_key',
  forbidden: 'foreign_page',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  invalid_body: 'bad_body',
  invalid_idempotency_key: 'bad_key',
  unsupported_media_type: 'wrong_type',
  payload_too_large: 'too_large',
  disk_full: 'unavailable',
  storage_unavailable: 'unavailable',
  starting: 'unavailable',
  shutting_down: 'unavailable',
};

const MAIL_KINDS: Readonly<Record<keyof typeof MAIL_REFUSALS, ProblemKind>> = {
  no_such_mailbox: 'no_such_mailbox',
  daily_inbound_limit_reached: 'limit_reached',
  storage_limit_reached: 'storage_full',
};

/** Returns the provider's answer to a refusal. Null for a failure of the server. */
function answerTo(error: unknown, exchange: Exchange, door: Door): DoorAnswer | null {
  if (error instanceof DoorRefusal) return error.answer;
  if (error instanceof MailRefused)
    return door.refusal(problemOf(MAIL_KINDS[error.reason]), urlBelow(exchange, door)).answer;
  const kind = error instanceof ApiError ? KINDS[error.code] : undefined;
  if (!(error instanceof ApiError) || kind === undefined) return null;
  exchange.refusal = error.code;
  return door.refusal(problemOf(kind), urlBelow(exchange, door)).answer;
}
