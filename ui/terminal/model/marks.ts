import { SAID } from '../../../src/text/wording.ts';
import { changed } from '../../model/message-list.ts';
import type { InboxEffect } from './effects.ts';
import { type Inbox, type InboxStep, said } from './inbox.ts';
import { isUnread, listOf, type MailState, type OpenMail, outermostOf, selectedRow, withLists } from './mail.ts';
import type { MailMarks } from './resources.ts';

// The marks of messages, which the server keeps: read, starred, and tags. The inbox shows a new mark at once, and takes
// it back if the server refuses it.

/** Opens the field for the tags of the open message, or else of the selected one. */
export function beginTagging(inbox: Inbox): InboxStep {
  const marked = markedIn(inbox.mail);
  if (marked === null) return [inbox, []];
  if (inbox.server?.local === false) return [said(inbox, SAID.cloudKeepsNoMarks), []];
  const text = marked.marks.tags.join(', ');
  return [{ ...inbox, overlay: { kind: 'filter', of: 'tags', id: marked.id, text } }, []];
}

/** Gives a message the tags that were typed, with commas between them. */
export function keepTags(inbox: Inbox, id: string, text: string): InboxStep {
  const closed: Inbox = { ...inbox, overlay: null };
  const tags = text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  // The message may have gone while the reader typed.
  return markedIn(inbox.mail)?.id === id ? giveMarks(closed, () => ({ tags })) : [closed, []];
}

/** Shows the marks that the server reported. */
export function marksTold(mail: MailState, told: ReadonlyMap<string, MailMarks>): MailState {
  const withMarks = <Row extends { readonly id: string }>(row: Row): Row => {
    const marks = told.get(row.id);
    return marks === undefined ? row : { ...row, ...marks };
  };
  const inOpen = (open: OpenMail): OpenMail => ({
    ...open,
    outer: open.outer === null ? null : inOpen(open.outer),
    // The tags of an open message are part of its text, which is laid out again if they change.
    mail: open.mail === null || open.outer !== null ? open.mail : withMarks(open.mail),
  });
  return {
    ...withLists(mail, (list) => changed(list, withMarks)),
    // What the server says counts from now on, also if somebody else marks the message as unread.
    read: new Set([...mail.read].filter((id) => told.get(id)?.read !== false)),
    open: mail.open === null ? null : inOpen(mail.open),
    preview: mail.preview?.mail == null ? mail.preview : { ...mail.preview, mail: withMarks(mail.preview.mail) },
  };
}

/** Takes marks back, because the server refused them. */
export function marksRefused(inbox: Inbox, id: string, marks: MailMarks, reason: string): Inbox {
  return said({ ...inbox, mail: marksTold(inbox.mail, new Map([[id, marks]])) }, reason, 'bad');
}

/** Changes marks of the open message, or else of the selected one. */
export function giveMarks(inbox: Inbox, changeOf: (marks: MailMarks) => Partial<MailMarks>): InboxStep {
  const marked = markedIn(inbox.mail);
  if (marked === null) return [inbox, []];
  if (inbox.server?.local === false) return [said(inbox, SAID.cloudKeepsNoMarks), []];
  const { id, marks } = marked;
  const change = changeOf(marks);
  const mail = marksTold(inbox.mail, new Map([[id, { ...marks, ...change }]]));
  const effect: InboxEffect = { do: 'mark', id, change, before: marks };
  return [{ ...inbox, mail }, [effect]];
}

/** Returns the marks of the open message, or else of the selected one. */
function markedIn(mail: MailState): { readonly id: string; readonly marks: MailMarks } | null {
  const open = mail.open === null ? null : outermostOf(mail.open);
  const row = open === null ? selectedRow(mail) : (listOf(mail).rows.find(({ id }) => id === open.id) ?? open.mail);
  if (row === null) return null;
  const { id, starred = false, tags = [] } = row;
  return { id, marks: { read: !isUnread(mail, row), starred, tags } };
}
