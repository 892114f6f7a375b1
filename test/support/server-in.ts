import { onTestFinished } from 'vitest';
import { configOf } from '../../src/config/load.ts';
import { type Mailcap, type MailcapOptions, serve } from '../../src/index.ts';

/**
 * Starts a server in this process, which commands find by the directory as they find one of `mailcap dev` there. It
 * costs a tenth of that one, and ends with the test.
 */
export async function serverIn(cwd: string, options: MailcapOptions = {}): Promise<Mailcap> {
  const defaults = { port: 0, smtpPort: 0, ephemeral: true, logLevel: 'silent' };
  const server = await serve(configOf({ ...defaults, ...options }, cwd), { announce: true });
  onTestFinished(() => server.close());
  return server;
}
