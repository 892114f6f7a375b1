import { z } from 'zod';
import { timeIn } from '../../actions/time.ts';
import { createAuthenticator } from '../../actions/workspaces.ts';
import type { Context } from '../../context.ts';
import { type Authenticator, validTotpSource } from '../../domain/authenticator.ts';
import { refuse } from '../../domain/errors.ts';
import { parseUlid, type WorkspaceId } from '../../domain/ids.ts';
import { writeTime } from '../../domain/time.ts';
import { anyAuthenticator, anyWorkspace, localRoute } from '../route.ts';
import { TotpCodeResponse, toTotpCodeResponse } from '../schemas.ts';
import { AuthenticatorRequest, AuthenticatorResponse, TotpRequest } from './schemas.ts';

// This module implements the authenticators of docs/api.md#workspaces-and-keys. The cloud registers them in its
// dashboard.

/** The names of the hash functions in an otpauth URI. */
const ALGORITHMS = { sha1: 'SHA1', sha256: 'SHA256', sha512: 'SHA512' } as const;

/** Copies each field by name, so that the secret is never part of the answer. */
function toAuthenticatorResponse(authenticator: Authenticator): z.infer<typeof AuthenticatorResponse> {
  return {
    id: authenticator.id,
    workspaceId: authenticator.workspaceId,
    name: authenticator.name,
    label: authenticator.label,
    issuer: authenticator.issuer,
    algorithm: ALGORITHMS[authenticator.algorithm],
    digits: authenticator.digits,
    period: authenticator.period,
    createdAt: writeTime(authenticator.createdAt),
  };
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
    returns: { 204: null },
    transact: async ({ tx, found }) => tx.authenticators.remove(found.id),
  }),
];
