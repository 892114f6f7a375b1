import { timeIn } from '../../actions/workspace-time.ts';
import { authenticatorInScope } from '../find.ts';
import { route } from '../route.ts';
import { TotpCodeResponse, toTotpCodeResponse } from '../schemas.ts';

// docs/api.md#totp

export const totp = [
  route('GET', '/v1/totp/:totpId/code', {
    id: 'getTotpCode',
    summary: 'Get the current code of an authenticator',
    find: authenticatorInScope,
    returns: { 200: TotpCodeResponse },
    handle: async ({ ctx, key, found }) => {
      // The module is loaded by the first code, to keep the start of the server short.
      const { codeAt } = await import('../../otp/totp.ts');
      const code = codeAt(found, await timeIn(ctx, ctx.store.read, key.workspaceId));
      const { id: authenticatorId, name, workspaceId } = found;
      ctx.notes.tell('totp.read', workspaceId, { authenticatorId, name, keyId: key.id });
      return toTotpCodeResponse(code);
    },
  }),
];
