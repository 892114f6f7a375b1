import { mailboxNamed } from '../../src/client/mailbox/mailbox.ts';
import { openBackend, type TerminalBackend } from './shell/backend.ts';
import type { ShowOptions } from './show-inbox.tsx';

export interface RunOptions extends Omit<ShowOptions, 'backend' | 'openId'> {
  /** The id or the subdomain of the mailbox to open; null for the default one. */
  readonly mailbox: string | null;
}

/** The error for a mailbox that does not exist. */
export class NoMailboxError extends Error {
  override readonly name = 'NoMailboxError';
}

/**
 * Shows the inbox on a terminal. Returns the exit code.
 * Throws the errors of the client and {@link NoMailboxError}.
 */
export async function runInbox(options: RunOptions): Promise<number> {
  const { connect, mailbox } = options;
  // The code of the view loads while the server answers, because loading takes longer.
  const view = import('./show-inbox.tsx');
  view.catch(() => {});
  const backend = await openBackend(connect());
  const openId = mailbox === null ? null : idOf(backend, mailbox);
  const { showInbox } = await view;
  return showInbox({ ...options, backend, openId });
}

function idOf({ mailboxes }: TerminalBackend, wanted: string): string {
  const found = mailboxNamed(mailboxes, wanted);
  if (found !== null) return found.id;
  const names = mailboxes.slice(0, 10).map(({ subdomain }) => subdomain);
  const more = mailboxes.length > names.length ? ' ...' : '';
  throw new NoMailboxError(`there is no mailbox ${wanted}; there are ${names.join(', ')}${more}.`);
}
