import { z } from 'zod';
import { plainCode } from '../../text/trusted.ts';
import { ToolError } from '../desk.ts';
import { tool } from '../tool.ts';

export const getTotpCode = tool('get_totp_code', {
  description: 'The current two-factor code.',
  input: z.object({
    authenticator: z.string().describe('base32 secret, otpauth:// URI, or id of a stored one'),
  }),
  output: z.object({ code: z.string(), expires_at: z.string() }),
  isReading: true,
  run: async ({ desk, signal }, { authenticator }) => {
    const client = await desk.client();
    const given = authenticator.trim();
    const { code, expiresAt } =
      /^[0-9A-HJKMNP-TV-Z]{26}$/.test(given) && /[0189]/.test(given)
        ? await client.getTotpCode(given, { signal })
        : await client.local.computeTotpCode(/^otpauth:/i.test(given) ? { uri: given } : { secret: given }, { signal });
    const plain = plainCode(code);
    if (plain === null) throw new ToolError('The server answered with no code.');
    return { code: plain, expires_at: expiresAt };
  },
});
