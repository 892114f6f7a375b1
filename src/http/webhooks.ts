import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { readForwardResponse, readHeaders, readWholeBody, replayRequest } from '../actions/captures.ts';
import { clearWebhook, deleteWebhook, updateWebhook } from '../actions/webhooks.ts';
import type { Context } from '../context.ts';
import type { CapturedRequest, ForwardStatus, Headers } from '../domain/captured-request.ts';
import { utf8OrLatin1 } from '../domain/content.ts';
import { type ErrorCode, there } from '../domain/errors.ts';
import { FORWARD_MODES, type Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Reader } from '../ports/store.ts';
import { momentNow } from '../ports/system.ts';
import { type AnswerOf, answerWriter, type FixedValue, nullable, time } from './answers.ts';
import { type Endpoint, type Resolver, type RouteDeclaration, whole } from './route.ts';
import { RETENTION } from './schemas.ts';

// The resources of docs/api.md#webhooks, under its names, with its fields in its order.

const int32 = z.int32();
const ulid = z.string();

// A value of the wrong type becomes a value that the rules refuse. A lone surrogate is no valid text.
const refusedText = '\ud800';
const refusedNumber = Number.NaN;
const text = z.string().nullish().catch(refusedText);
const number = z.number().nullish().catch(refusedNumber);

export const UpsertWebhookDto = z.object({
  name: text.meta({ maxLength: 100 }),
  responseStatus: number.meta({ minimum: 200, maximum: 599, description: '200 if left out' }),
  responseContentType: text.meta({ maxLength: 255, description: 'A media type' }),
  responseBody: text.meta({ maxLength: 1_048_576, description: 'At most 1 MiB in UTF-8' }),
  forwardMode: z
    .union([z.string(), z.number()])
    .nullish()
    .catch(refusedText)
    .meta({
      anyOf: undefined,
      type: ['string', 'null'],
      enum: [...FORWARD_MODES, null],
      description: 'off, async (after the answer) or sync (before the answer), in any case; or 0, 1, 2',
    }),
  forwardUrl: text.meta({
    maxLength: 2_048,
    format: 'uri',
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/]',
    description: 'Absolute, without credentials',
  }),
  retentionDays: number.meta(RETENTION),
});
export type UpsertWebhookDto = z.infer<typeof UpsertWebhookDto>;

export const WebhookView = z.object({
  id: ulid,
  workspaceId: ulid,
  name: nullable,
  key: nullable.describe('The secret with which its URL ends'),
  responseStatus: int32,
  responseContentType: nullable,
  responseBody: nullable,
  forwardMode: z
    .union([z.literal(0), z.literal(1), z.literal(2)])
    .describe('0 off, 1 async: after the answer, 2 sync: before it'),
  forwardUrl: nullable,
  retentionDays: int32,
  maxRetentionDays: int32.describe('The limit of the plan'),
  requestCount: z.int().describe('The number of captured requests'),
  lastRequestAt: time.nullable(),
  createdAt: time,
});
export type WebhookView = z.infer<typeof WebhookView>;

const FORWARD_STATUSES = { none: 0, pending: 1, delivered: 2, failed: 3 } as const satisfies Record<
  ForwardStatus,
  number
>;

export function toForwardStatus(status: ForwardStatus): 0 | 1 | 2 | 3 {
  return FORWARD_STATUSES[status];
}

export const WebhookRequestSummary = z.object({
  id: ulid,
  method: nullable,
  path: nullable.describe('The path after the key, as sent'),
  contentType: nullable,
  sizeBytes: int32,
  sourceIp: nullable,
  receivedAt: time,
  responseStatus: int32.describe('The status of the answer; 0 if the connection was dropped'),
  forwardStatus: z
    .union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)])
    .describe('0 not forwarded, 1 pending, 2 delivered, 3 failed'),
  forwardHttpStatus: int32.nullable(),
});
export type WebhookRequestSummary = z.infer<typeof WebhookRequestSummary>;

const writeRequestSummary = answerWriter(WebhookRequestSummary);

export function toWebhookRequestSummary(request: CapturedRequest): AnswerOf<typeof WebhookRequestSummary> {
  return writeRequestSummary({ ...request, ...toldOf(request) });
}

/** Returns what every answer tells of a request in another way than its row. */
export function toldOf({ contentType, forwardStatus }: CapturedRequest) {
  return {
    contentType: contentType === null ? null : utf8OrLatin1(contentType),
    forwardStatus: toForwardStatus(forwardStatus),
  };
}

export const WebhookRequestPage = z.object({
  items: z.array(WebhookRequestSummary).nullable(),
  total: z.int().describe('Across all pages'),
  page: int32,
  pageSize: int32,
});
export type WebhookRequestPage = z.infer<typeof WebhookRequestPage>;

export const WebhookRequestView = WebhookRequestSummary.extend({
  endpointId: ulid.describe('The webhook'),
  query: nullable,
  headers: z.record(z.string(), z.string()).nullable().describe('Names are in lower case; repeated headers are joined'),
  forwardAttempts: int32,
  forwardedAt: time.nullable(),
  forwardError: nullable,
  forwardResponse: nullable,
  bodyIsText: z.boolean(),
  bodyText: nullable,
});
export type WebhookRequestView = z.infer<typeof WebhookRequestView>;

/** A byte order mark is part of the body, so it is kept. */
const UTF_8 = new TextDecoder('utf-8', { ignoreBOM: true });

const writeRequest = answerWriter(WebhookRequestView);

/** Reads a captured request with its contents. */
export async function readRequestView(
  ctx: Context,
  request: CapturedRequest,
): Promise<AnswerOf<typeof WebhookRequestView>> {
  const headers = joined(await readHeaders(ctx, request));
  const body = (await readWholeBody(ctx, request)) ?? new Uint8Array();
  const bodyIsText = isUtf8(body) && !body.includes(0);
  return writeRequest({
    ...request,
    ...toldOf(request),
    endpointId: request.webhookId,
    headers,
    forwardResponse: await readForwardResponse(ctx, request),
    bodyIsText,
    bodyText: bodyIsText ? UTF_8.decode(body) : null,
  });
}

function joined(headers: Headers): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, bytes] of headers) {
    const before = values.get(name.toLowerCase());
    const value = utf8OrLatin1(bytes);
    values.set(name.toLowerCase(), before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(values);
}

// This module builds the view of a webhook that both APIs return.

/** The error codes of a webhook's settings. */
export const WEBHOOK_REFUSALS: readonly ErrorCode[] = [
  'invalid_name',
  'invalid_response_status',
  'invalid_response_content_type',
  'invalid_response_body',
  'invalid_forward_mode',
  'invalid_forward_url',
  'invalid_retention',
];

/**
 * The largest body of a request, in bytes. It has room for a responseBody of 1 MiB, whose quotes and line breaks take two
 * bytes each in JSON.
 */
export const WEBHOOK_BODY_LIMIT = 2 * 1024 * 1024;

const writeWebhook = answerWriter(WebhookView);

/** Returns a webhook with its current figures. */
export async function webhookView(
  ctx: Context,
  reader: Reader,
  workspace: Workspace,
  webhook: Webhook,
): Promise<AnswerOf<typeof WebhookView>> {
  return writeWebhook({
    ...webhook,
    // The API uses the position in the list as the number. There are three modes.
    forwardMode: FORWARD_MODES.indexOf(webhook.forwardMode) as WebhookView['forwardMode'],
    maxRetentionDays: ctx.plans[workspace.plan].retentionMaxDays,
    requestCount: await reader.requests.count(webhook.id, momentNow(ctx.clock)),
    lastRequestAt: await reader.webhooks.lastRequestAt(webhook.id),
  });
}

/** The query parameters of a page of captured requests. */
export const REQUEST_PAGE = {
  page: whole(1, 2 ** 31 - 1, 1, 'invalid_page', 'The number of the page, from 1'),
  pageSize: whole(1, 200, 50, 'invalid_page_size', 'The number of requests on a page'),
};

/** Returns a page of a webhook's captured requests, newest first. */
export async function requestPage(
  { store, clock }: Context,
  webhook: Webhook,
  asked: { readonly page: number; readonly pageSize: number },
): Promise<AnswerOf<typeof WebhookRequestPage>> {
  const { requests } = store.read;
  const now = momentNow(clock);
  const items = (await requests.page(webhook.id, { ...asked, now })).map(toWebhookRequestSummary);
  const { page, pageSize } = asked;
  return { items, total: await requests.count(webhook.id, now), page, pageSize };
}

// The cloud API has these routes for the webhooks of a key's workspace, the local API for those of all workspaces.

/** Where an API has the routes of webhooks, how it names them, and how it shows a webhook. */
interface WebhookApi<Who, View> {
  readonly paths: { readonly webhook: string; readonly request: string };
  readonly ids: Readonly<Record<'get' | 'update' | 'remove' | 'listRequests' | 'clearRequests' | 'replay', string>>;
  readonly resolveWebhook: Resolver<Who, Webhook>;
  readonly resolveRequest: Resolver<Who, CapturedRequest>;
  readonly view: z.ZodType<View>;
  toView(ctx: Context, reader: Reader, workspace: Workspace, webhook: Webhook): Promise<FixedValue<View>>;
}

/** Declares the routes of one webhook, and the one of a captured request that forwards it again. */
export function webhookRoutes<Who extends object, View>(
  declare: RouteDeclaration<Who>,
  { paths, ids, resolveWebhook, resolveRequest, view, toView }: WebhookApi<Who, View>,
): { readonly ofWebhook: readonly Endpoint<Who>[]; readonly replay: Endpoint<Who> } {
  const get = declare('GET', paths.webhook, {
    id: ids.get,
    summary: 'Get a webhook',
    resolve: resolveWebhook,
    returns: { 200: view },
    handle: async ({ ctx, read, found }) => toView(ctx, read, await workspaceOf(read, found), found),
  });
  const update = declare('PATCH', paths.webhook, {
    id: ids.update,
    summary: 'Change the settings of a webhook',
    description: 'A field that is left out or null stays as it is.',
    example: { responseStatus: 503 },
    resolve: resolveWebhook,
    body: UpsertWebhookDto,
    bodyLimit: WEBHOOK_BODY_LIMIT,
    returns: { 200: view },
    fails: WEBHOOK_REFUSALS,
    transact: async ({ ctx, tx, found: webhook, body }) => {
      const workspace = await workspaceOf(tx, webhook);
      return toView(ctx, tx, workspace, await updateWebhook(ctx, tx, { webhook, workspace }, body));
    },
  });
  const remove = declare('DELETE', paths.webhook, {
    id: ids.remove,
    summary: 'Delete a webhook with its captured requests',
    resolve: resolveWebhook,
    transact: ({ ctx, tx, found }) => deleteWebhook(ctx, tx, found),
  });
  const listRequests = declare('GET', `${paths.webhook}/requests`, {
    id: ids.listRequests,
    summary: 'List the captured requests of a webhook, newest first',
    resolve: resolveWebhook,
    query: REQUEST_PAGE,
    returns: { 200: WebhookRequestPage },
    handle: ({ ctx, found, query }) => requestPage(ctx, found, query),
  });
  const clearRequests = declare('DELETE', `${paths.webhook}/requests`, {
    id: ids.clearRequests,
    summary: 'Delete the captured requests of a webhook',
    resolve: resolveWebhook,
    transact: ({ ctx, tx, found }) => clearWebhook(ctx, tx, found),
  });
  const replay = declare('POST', `${paths.request}/replay`, {
    id: ids.replay,
    summary: 'Forward a captured request again, once',
    resolve: resolveRequest,
    fails: ['invalid_forward'],
    perform: ({ ctx, found }) => replayRequest(ctx, found),
  });
  return { ofWebhook: [get, update, remove, listRequests, clearRequests], replay };
}

async function workspaceOf(reader: Reader, { workspaceId }: Webhook): Promise<Workspace> {
  return there(await reader.workspaces.get(workspaceId));
}
