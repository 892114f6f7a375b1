import { z } from 'zod';
import {
  createGroup,
  createWorkspace,
  deleteWorkspace,
  issueKey,
  revokeKey,
  updateWorkspace,
} from '../../actions/workspaces.ts';
import { anyGroup, anyKey, anyWorkspace, localRoute } from '../route.ts';
import {
  GroupRequest,
  GroupResponse,
  IssuedKeyResponse,
  KeyRequest,
  KeyResponse,
  toGroupResponse,
  toIssuedKeyResponse,
  toKeyResponse,
  toWorkspaceResponse,
  WorkspaceRequest,
  WorkspaceResponse,
} from './schemas.ts';

// This module implements docs/api.md#workspaces-and-keys: workspaces, their keys and groups, as a dashboard
// manages them.

export const workspaces = [
  localRoute('GET', '/_mailcap/workspaces', {
    id: 'listWorkspaces',
    summary: 'List the workspaces',
    returns: { 200: z.array(WorkspaceResponse) },
    handle: async ({ ctx }) => (await ctx.store.read.workspaces.list()).map(toWorkspaceResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces', {
    id: 'createWorkspace',
    summary: 'Create a workspace',
    description: 'The new workspace has no mailbox and no key.',
    example: { name: 'Worker 1', plan: 'business', limits: 'off' },
    body: WorkspaceRequest,
    returns: { 201: WorkspaceResponse },
    fails: ['invalid_name', 'invalid_plan', 'invalid_limits', 'invalid_wallet_cents', 'invalid_senders'],
    transact: async ({ ctx, tx, body }) => toWorkspaceResponse(await createWorkspace(ctx, tx, body)),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id', {
    id: 'getWorkspace',
    summary: 'Get a workspace',
    resolve: anyWorkspace,
    returns: { 200: WorkspaceResponse },
    handle: async ({ found }) => toWorkspaceResponse(found),
  }),

  localRoute('PATCH', '/_mailcap/workspaces/:id', {
    id: 'updateWorkspace',
    summary: 'Change the plan, wallet, limits, senders or name of a workspace',
    example: { walletCents: 500 },
    resolve: anyWorkspace,
    body: WorkspaceRequest,
    returns: { 200: WorkspaceResponse },
    fails: ['invalid_name', 'invalid_plan', 'invalid_limits', 'invalid_wallet_cents', 'invalid_senders'],
    transact: async ({ tx, found, body }) => toWorkspaceResponse(await updateWorkspace(tx, found, body)),
  }),

  localRoute('DELETE', '/_mailcap/workspaces/:id', {
    id: 'deleteWorkspace',
    summary: 'Delete a workspace with all it owns',
    resolve: anyWorkspace,
    returns: { 204: null },
    fails: ['seeded_workspace'],
    transact: async ({ ctx, tx, found }) => deleteWorkspace(ctx, tx, found),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/keys', {
    id: 'listKeys',
    summary: 'List the API keys, including revoked ones',
    resolve: anyWorkspace,
    returns: { 200: z.array(KeyResponse) },
    handle: async ({ ctx, found }) => (await ctx.store.read.keys.list(found.id)).map(toKeyResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/keys', {
    id: 'createKey',
    summary: 'Create an API key',
    description:
      'Only this answer holds the key. Scopes are fixed: a key with a list of ids does not see the mailboxes that it creates. Webhooks, captured requests and the suppression list belong to the workspace: a key reads and deletes all of them, whatever its mailboxes. With `webhooks: none` it has no webhooks.',
    example: { name: 'CI', scopes: { mailboxes: 'all', authenticators: 'all', webhooks: 'all' } },
    resolve: anyWorkspace,
    body: KeyRequest,
    returns: { 201: IssuedKeyResponse },
    fails: ['invalid_name', 'invalid_scope', 'plan_max_keys_reached'],
    transact: async ({ ctx, tx, found, body }) => {
      const { key, plaintext } = await issueKey(ctx, tx, found, body);
      return toIssuedKeyResponse(key, plaintext);
    },
  }),

  localRoute('DELETE', '/_mailcap/keys/:id', {
    id: 'revokeKey',
    summary: 'Revoke an API key',
    resolve: anyKey,
    returns: { 204: null },
    transact: async ({ ctx, tx, found }) => revokeKey(ctx, tx, found),
  }),

  localRoute('GET', '/_mailcap/workspaces/:id/groups', {
    id: 'listGroups',
    summary: 'List the groups',
    resolve: anyWorkspace,
    returns: { 200: z.array(GroupResponse) },
    handle: async ({ ctx, found }) => (await ctx.store.read.groups.list(found.id)).map(toGroupResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/groups', {
    id: 'createGroup',
    summary: 'Create a group',
    example: { name: 'Checkout' },
    resolve: anyWorkspace,
    body: GroupRequest,
    returns: { 201: GroupResponse },
    fails: ['invalid_name'],
    transact: async ({ ctx, tx, found, body }) => toGroupResponse(await createGroup(ctx, tx, found, body)),
  }),

  localRoute('DELETE', '/_mailcap/groups/:id', {
    id: 'deleteGroup',
    summary: 'Delete a group; its mailboxes stay',
    resolve: anyGroup,
    returns: { 204: null },
    transact: async ({ tx, found }) => tx.groups.remove(found.id),
  }),
];
