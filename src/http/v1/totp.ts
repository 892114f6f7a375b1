import { codeAt } from '../../domain/totp.ts';
import { authenticatorInScope } from '../find.ts';
import { route } from '../route.ts';
import { TotpCodeResponse, toTotpCodeResponse } from '../schemas.ts';

// docs/api.md#totp

export const totp = [
  route('GET', '/v1/totp/:totpId/code', {
    find: authenticatorInScope,
    returns: { 200: TotpCodeResponse },
    handle: async ({ ctx, found }) => toTotpCodeResponse(await codeAt(found, ctx.clock.now())),
  }),
];
