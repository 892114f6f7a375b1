import { createClient, MailcapError, NoServerError } from '../client/index.ts';
import { UserError } from '../config/user-error.ts';
import type { Flags } from './dev-flags.ts';
import { openInBrowser } from './open.ts';

const EXIT_UNREACHABLE = 4;

/** `mailcap inbox`: the mail of the server that runs here, or at MAILCAP_URL, on the terminal. */
export async function inbox(flags: Flags): Promise<number> {
  // React's build for development is slower, and keeps a record of every frame.
  process.env['NODE_ENV'] ??= 'production';
  const { NoMailboxError, runInbox } = await import('../../ui/terminal/run-inbox.ts');
  const { mailbox } = flags;
  try {
    return await runInbox({
      connect: () => createClient(),
      mailbox: typeof mailbox === 'string' ? mailbox : null,
      stdin: process.stdin,
      stdout: process.stdout,
      env: process.env,
      directory: process.cwd(),
      browse: openInBrowser,
    });
  } catch (error) {
    if (error instanceof NoServerError) throw new UserError(error.message, EXIT_UNREACHABLE, { cause: error });
    if (error instanceof MailcapError || error instanceof NoMailboxError)
      throw new UserError(error.message, 1, { cause: error });
    throw error;
  }
}
