import type { z } from 'zod';
import { replayRequest } from '../actions/captures.ts';
import { deleteWebhook, updateWebhook } from '../actions/webhooks.ts';
import type { Context } from '../context.ts';
import type { CapturedRequest } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Reader } from '../ports/store.ts';
import type { Endpoint, Resolver, RouteDeclaration } from './route.ts';
import {
  REQUEST_PAGE,
  requestPage,
  UpsertWebhookDto,
  WEBHOOK_BODY_LIMIT,
  WEBHOOK_REFUSALS,
  WebhookRequestPage,
} from './webhook-schemas.ts';

// The cloud API has these routes for the webhooks of a key's workspace, the local API for those of all workspaces.

/** Where an API has the routes of webhooks, how it names them, and how it shows a webhook. */
interface WebhookApi<Who, View> {
  readonly paths: { readonly webhook: string; readonly request: string };
  readonly ids: Readonly<Record<'get' | 'update' | 'remove' | 'listRequests' | 'clearRequests' | 'replay', string>>;
  readonly resolveWebhook: Resolver<Who, Webhook>;
  readonly resolveRequest: Resolver<Who, CapturedRequest>;
  readonly view: z.ZodType<View>;
  toView(ctx: Context, reader: Reader, workspace: Workspace, webhook: Webhook): Promise<View>;
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
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await deleteWebhook(tx, found);
      return undefined;
    },
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
    returns: { 204: null },
    transact: async ({ tx, found }) => {
      await tx.requests.removeAll(found.id);
      return undefined;
    },
  });
  const replay = declare('POST', `${paths.request}/replay`, {
    id: ids.replay,
    summary: 'Forward a captured request again, once',
    resolve: resolveRequest,
    returns: { 204: null },
    fails: ['invalid_forward'],
    perform: async ({ ctx, found }) => {
      await replayRequest(ctx, found);
      return undefined;
    },
  });
  return { ofWebhook: [get, update, remove, listRequests, clearRequests], replay };
}

async function workspaceOf(reader: Reader, { workspaceId }: Webhook): Promise<Workspace> {
  const workspace = await reader.workspaces.get(workspaceId);
  if (workspace === null) throw refuse('not_found');
  return workspace;
}
