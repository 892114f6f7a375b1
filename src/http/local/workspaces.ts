import { z } from 'zod';
import { timeIn } from '../../actions/time.ts';
import {
  createAuthenticator,
  createGroup,
  createWorkspace,
  deleteWorkspace,
  issueKey,
  revokeKey,
  updateWorkspace,
} from '../../actions/workspaces.ts';
import type { Context } from '../../context.ts';
import { type Authenticator, validTotpSource } from '../../domain/authenticator.ts';
import { refuse } from '../../domain/errors.ts';
import { parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import { type AnswerOf, answerWriter } from '../answers.ts';
import { anyAuthenticator, anyGroup, anyKey, anyWorkspace, localRoute } from '../route.ts';
import { TotpCodeResponse, toTotpCodeResponse } from '../schemas.ts';
import {
  AuthenticatorRequest,
  AuthenticatorResponse,
  GroupRequest,
  GroupResponse,
  IssuedKeyResponse,
  KeyRequest,
  KeyResponse,
  TotpRequest,
  toGroupResponse,
  toIssuedKeyResponse,
  toKeyResponse,
  toWorkspaceResponse,
  WorkspaceRequest,
  WorkspaceResponse,
} from './schemas.ts';

// This module implements docs/api.md#workspaces-and-keys: workspaces, and the keys, groups and authenticators that they
// own, as a dashboard manages them.

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
    transact: async ({ tx, found }) => tx.groups.remove(found.id),
  }),
];

// Authenticators, which the cloud registers in its dashboard too.

/** The names of the hash functions in an otpauth URI. */
const ALGORITHMS = { sha1: 'SHA1', sha256: 'SHA256', sha512: 'SHA512' } as const;

const writeAuthenticator = answerWriter(AuthenticatorResponse);

function toAuthenticatorResponse(authenticator: Authenticator): AnswerOf<typeof AuthenticatorResponse> {
  return writeAuthenticator({ ...authenticator, algorithm: ALGORITHMS[authenticator.algorithm] });
}

/** Returns the id of the workspace that a body names, or null if it names none. Throws `invalid_workspace_id`. */
async function workspaceNamed({ store }: Context, given: unknown): Promise<WorkspaceId | null> {
  if (given === undefined || given === null) return null;
  const id = typeof given === 'string' ? parseUlid<WorkspaceId>(given) : null;
  if (id === null || (await store.read.workspaces.get(id)) === null) throw refuse('invalid_workspace_id');
  return id;
}

export const authenticators = [
  localRoute('GET', '/_mailcap/workspaces/:id/authenticators', {
    id: 'listAuthenticators',
    summary: 'List the authenticators',
    resolve: anyWorkspace,
    returns: { 200: z.array(AuthenticatorResponse) },
    handle: async ({ ctx, found }) => (await ctx.store.read.authenticators.list(found.id)).map(toAuthenticatorResponse),
  }),

  localRoute('POST', '/_mailcap/workspaces/:id/authenticators', {
    id: 'createAuthenticator',
    summary: 'Register an authenticator',
    description: 'Give its secret, or the URI of its QR code. The secret is never returned.',
    example: { name: 'Shop', secret: 'GEZDGNBVGY3TQOJQ' },
    resolve: anyWorkspace,
    body: AuthenticatorRequest,
    returns: { 201: AuthenticatorResponse },
    fails: ['invalid_name', 'invalid_secret', 'invalid_uri', 'invalid_algorithm', 'invalid_digits', 'invalid_period'],
    transact: async ({ ctx, tx, found, body }) =>
      toAuthenticatorResponse(await createAuthenticator(ctx, tx, found, body)),
  }),

  localRoute('GET', '/_mailcap/authenticators/:id/code', {
    id: 'getCode',
    summary: 'Get the current code of an authenticator',
    resolve: anyAuthenticator,
    returns: { 200: TotpCodeResponse },
    handle: async ({ ctx, found }) => {
      const { codeAt } = await import('../../otp/totp.ts');
      return toTotpCodeResponse(codeAt(found, await timeIn(ctx, ctx.store.read, found.workspaceId)));
    },
  }),

  localRoute('POST', '/_mailcap/totp', {
    id: 'computeTotp',
    summary: 'Get the current code of a secret or a URI without storing it',
    example: { secret: 'GEZDGNBVGY3TQOJQ' },
    body: TotpRequest,
    returns: { 200: TotpCodeResponse },
    fails: [
      'invalid_secret',
      'invalid_uri',
      'invalid_algorithm',
      'invalid_digits',
      'invalid_period',
      'invalid_workspace_id',
    ],
    handle: async ({ ctx, body }) => {
      // The module is loaded by the first code, to keep the start of the server short.
      const { codeAt } = await import('../../otp/totp.ts');
      const { workspaceId, ...source } = body;
      const totp = validTotpSource(source);
      return toTotpCodeResponse(
        codeAt(totp, await timeIn(ctx, ctx.store.read, await workspaceNamed(ctx, workspaceId))),
      );
    },
  }),

  localRoute('DELETE', '/_mailcap/authenticators/:id', {
    id: 'deleteAuthenticator',
    summary: 'Delete an authenticator',
    resolve: anyAuthenticator,
    transact: async ({ tx, found }) => tx.authenticators.remove(found.id),
  }),
];
