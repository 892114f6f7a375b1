import { saidCount } from '../../../src/text/said.ts';
import { CALLED } from '../../../src/text/wording.ts';
import { ALL_MAIL } from './api.ts';
import { askToDelete } from './ask-to-delete.ts';
import { NONE } from './selection.ts';
import type { ListState, WebState } from './state.ts';
import { messagesIn, messagesInAll } from './state.ts';
import type { WebShell } from './web-shell.ts';

// Actions on everything that a list finds, also on what is not loaded. The server does them by the search.

/** Returns the number of messages that a list finds. Null if the server has not told it. */
export function foundTotal(state: WebState): number | null {
  const { mail, mailboxes } = state;
  if (mail === null) return null;
  if (mail.query !== '') return mail.total;
  if (mail.mailboxId === ALL_MAIL) return messagesInAll(state);
  const mailbox = mailboxes.find(({ id }) => id === mail.mailboxId);
  return mailbox === undefined ? null : messagesIn(state, mailbox);
}

/** Tells whether the server can act on all that a list finds. There is no search for all mail of all mailboxes. */
export function canChooseAll({ mailboxId, query }: ListState): boolean {
  return mailboxId !== ALL_MAIL || query !== '';
}

/** Marks all messages of a list as read. */
export async function readAllFound(shell: WebShell): Promise<void> {
  const { mail } = shell.state.value;
  if (mail === null) return;
  const { mailboxId, query } = mail;
  const where = mailboxId === ALL_MAIL ? {} : { mailboxId };
  const asked = query === '' ? 'is:unread' : query;
  const done = await shell.attempt(() => shell.api.markMessages({ ...where, query: asked, read: true }));
  if (done === null) return;
  shell.choose(NONE);
  shell.server.reloadMailboxes();
}

/** Asks, and then deletes all messages of a list. */
export function deleteAllFound(shell: WebShell): void {
  const { mail, mailboxes } = shell.state.value;
  if (mail === null) return;
  const { mailboxId, query } = mail;
  const total = foundTotal(shell.state.value);
  // The count of a search may still be under way.
  const messages = total === null ? 'all messages' : saidCount(total, 'message');
  const name = mailboxes.find(({ id }) => id === mailboxId)?.name ?? 'all mailboxes';
  const what = query === '' ? CALLED.messagesIn(messages, name) : CALLED.messagesFoundIn(messages, name);
  const remove = async (): Promise<unknown> => {
    if (mailboxId === ALL_MAIL) return shell.api.deleteFoundMessages({ query });
    return query === '' ? shell.api.clearMailbox(mailboxId) : shell.api.clearMailbox(mailboxId, { query });
  };
  askToDelete(shell, {
    what,
    detail: 'This also deletes the attachments. It can not be undone.',
    yes: 'Delete all',
    remove,
    done: () => {
      shell.choose(NONE);
      shell.mail.reload();
    },
  });
}
