import { asSentence, calledMessage, SAID, saidDeleted } from '../../../src/text/wording.ts';
import { type MailRow, type MessageList, restored } from '../../model/message-list.ts';
import type { InboxEffect } from './effects.ts';
import { type Inbox, type InboxStep, said } from './inbox.ts';
import { type MailState, messagesGone, outermostOf, selectedRow } from './mail.ts';

// A deleted message leaves the list at once, and the server after ten seconds, so that the reader can undo it. The next
// deletion, and leaving the inbox, end the ten seconds.

/** Deletes the open message, or else the selected one. */
export function beginDeletion(inbox: Inbox): InboxStep {
  const { mailboxId, open } = inbox.mail;
  const row = (open === null ? null : outermostOf(open).mail) ?? selectedRow(inbox.mail);
  if (row === null || mailboxId === null) return [inbox, []];
  if (inbox.server?.local === false) return [said(inbox, SAID.cloudDeletesNothing), []];
  const before = finishDeletion(inbox.mail);
  const deleting = { mailboxId, row, filter: inbox.mail.filter };
  const mail = { ...messagesGone(inbox.mail, mailboxId, (id) => id === row.id), deleting };
  const text = asSentence(`${saidDeleted(calledMessage(row))} Press z to undo it.`);
  return [said({ ...inbox, mail }, text, 'good'), [...before, { do: 'await-undo', id: row.id }]];
}

/** Puts the message back. */
export function undoDeletion(inbox: Inbox): InboxStep {
  const { deleting } = inbox.mail;
  if (deleting === null) return [said(inbox, 'There is no deletion to undo.'), []];
  return [said({ ...inbox, mail: putBack(inbox.mail) }, 'The message was put back.'), []];
}

/** Ends the time to undo a deletion. With `id`, only if it is the deletion of that message. */
export function finishDeletion({ deleting }: MailState, id?: string): InboxEffect[] {
  if (deleting === null || (id !== undefined && id !== deleting.row.id)) return [];
  return [{ do: 'delete-message', id: deleting.row.id }];
}

/** The server deleted the message, or no longer has it. */
export function deletionDone(mail: MailState, id: string): MailState {
  return mail.deleting?.row.id === id ? { ...mail, deleting: null } : mail;
}

/** The server could not delete the message. */
export function deletionFailed(inbox: Inbox, id: string, reason: string): Inbox {
  const mail = inbox.mail.deleting?.row.id === id ? putBack(inbox.mail) : inbox.mail;
  return said({ ...inbox, mail }, reason, 'bad');
}

function putBack(mail: MailState): MailState {
  const { deleting } = mail;
  if (deleting === null) return mail;
  const next = { ...mail, deleting: null };
  if (deleting.mailboxId !== mail.mailboxId) return next;
  const back = (list: MessageList<MailRow>) => restored(list, [deleting.row]);
  return {
    ...next,
    all: back(mail.all),
    found: mail.found === null || deleting.filter !== mail.filter ? mail.found : back(mail.found),
  };
}
