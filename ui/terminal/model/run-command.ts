import { holdsMail } from '../../../src/text/mail-type.ts';
import type { FocusPlace, InboxCommand } from '../../model/keys.ts';
import { select, selectedIndex, selectedRowOf } from '../../model/message-list.ts';
import { chooseFrom, chosen } from './choice.ts';
import { beginDeletion, finishDeletion, undoDeletion } from './deletion.ts';
import type { InboxEffect } from './effects.ts';
import { type Inbox, type InboxStep, inMail, inWebhooks, readScroll, said, TABS, withReadScroll } from './inbox.ts';
import {
  attachedOpened,
  codesToTell,
  type FoundCodes,
  filtered,
  listOf,
  mailboxOpened,
  mailOpened,
  type OpenMail,
  otherBody,
  outermostIdOf,
  selectedRow,
  viewToggled,
  viewTurned,
  withList,
} from './mail.ts';
import { beginTagging, giveMarks, keepTags } from './marks.ts';
import { move } from './move.ts';
import { lookedFor, matchMoved, TOP } from './scroll.ts';
import { requestOpened, webhookOpened } from './webhooks.ts';

/** Runs a command of the reader. A command that has no meaning in this place changes nothing. */
export function runInboxCommand(inbox: Inbox, place: FocusPlace, command: InboxCommand): InboxStep {
  switch (command) {
    case 'next':
    case 'previous':
    case 'first':
    case 'last':
    case 'half-down':
    case 'half-up':
    case 'page-down':
    case 'page-up':
      return [move(inbox, place, command), []];
    case 'open':
      return open(inbox, place);
    case 'back':
      return [back(inbox, place), []];
    case 'tab':
    case 'tab-back':
      return turn(inbox, command === 'tab' ? 1 : -1);
    case 'filter':
      return [{ ...inbox, overlay: { kind: 'filter', of: 'list', before: inbox.mail.filter } }, []];
    case 'find': {
      const before = readScroll(inbox)?.find?.text ?? '';
      const anew = withReadScroll(inbox, (scroll) => ({ ...scroll, find: null }));
      return [{ ...anew, overlay: { kind: 'filter', of: 'text', before } }, []];
    }
    case 'find-next':
      return step(inbox, place, 1);
    case 'find-previous':
      return step(inbox, place, -1);
    case 'next-view':
    case 'previous-view':
      return withView(inbox, (opened) => viewTurned(opened, command === 'next-view' ? 1 : -1));
    case 'copy-code':
      return copyCode(inbox, place);
    case 'links':
    case 'attachments':
      return ofMessage(inbox, command, (opened) => [parts(opened, command), []]);
    case 'read-attached':
      return readAttached(inbox);
    case 'source':
    case 'headers':
      return ofMessage(inbox, null, (opened) => withView(opened, (mail) => viewToggled(mail, command)));
    case 'other-body':
      return withView(inbox, (opened) => [otherBody(opened), []]);
    case 'browse':
      return browse(inbox);
    case 'delete':
      return beginDeletion(inbox);
    case 'undo-delete':
      return undoDeletion(inbox);
    case 'mark-read':
      return giveMarks(inbox, ({ read }) => ({ read: !read }));
    case 'star':
      return giveMarks(inbox, ({ starred }) => ({ starred: !starred }));
    case 'tag':
      return beginTagging(inbox);
    case 'mailboxes':
      return [{ ...inbox, overlay: { kind: 'mailboxes' } }, []];
    case 'replay':
    case 'copy-curl':
      return withRequest(inbox, command);
    case 'reload':
      return [inbox, [{ do: 'load-mailboxes' }, ...loadsOf(inbox.tab)]];
    case 'help':
      return [{ ...inbox, overlay: inbox.overlay?.kind === 'help' ? null : { kind: 'help', scroll: TOP } }, []];
    case 'quit':
      return [inbox, [...finishDeletion(inbox.mail), { do: 'quit' }]];
    case 'keep': {
      const { overlay } = inbox;
      if (overlay?.kind === 'filter' && overlay.of === 'tags') return keepTags(inbox, overlay.id, overlay.text);
      return [{ ...inbox, overlay: null }, []];
    }
    case 'undo':
      return [undo(inbox), []];
  }
}

function open(inbox: Inbox, place: FocusPlace): InboxStep {
  const { overlay } = inbox;
  switch (place) {
    case 'messages':
      return inMail(inbox, mailOpened(inbox.mail));
    case 'mailboxes': {
      const mailbox = chosen(inbox.mail.mailboxes);
      if (mailbox === null) return [inbox, []];
      return [{ ...inbox, overlay: null, mail: mailboxOpened(inbox.mail, mailbox.id) }, []];
    }
    case 'webhooks': {
      const webhook = chosen(inbox.webhooks.all);
      return [webhook === null ? inbox : { ...inbox, webhooks: webhookOpened(inbox.webhooks, webhook.id) }, []];
    }
    case 'requests':
      return inWebhooks(inbox, requestOpened(inbox.webhooks));
    case 'authenticators':
      return copyCode(inbox, place);
    default:
      break;
  }
  if (overlay?.kind === 'links') return browse(inbox);
  const attachment = overlay?.kind === 'attachments' ? chosen(overlay.choice) : null;
  if (overlay?.kind !== 'attachments' || attachment === null) return [inbox, []];
  const { id: attachmentId, name } = attachment;
  return [inbox, [{ do: 'save-attachment', messageId: overlay.messageId, attachmentId, name }]];
}

function readAttached(inbox: Inbox): InboxStep {
  const { overlay } = inbox;
  const attachment = overlay?.kind === 'attachments' ? chosen(overlay.choice) : null;
  if (attachment === null) return [inbox, []];
  if (!holdsMail(attachment.contentType.toLowerCase())) return [said(inbox, 'This file is no mail.'), []];
  return inMail({ ...inbox, overlay: null }, attachedOpened(inbox.mail, attachment));
}

function back(inbox: Inbox, place: FocusPlace): Inbox {
  const { mail, webhooks } = inbox;
  if (inbox.overlay !== null) return { ...inbox, overlay: null };
  if (readScroll(inbox)?.find != null) return withReadScroll(inbox, (scroll) => ({ ...scroll, find: null }));
  if (place === 'message') return { ...inbox, mail: { ...mail, open: mail.open?.outer ?? null } };
  if (place === 'messages') return { ...inbox, mail: filtered(mail, '') };
  if (place === 'request') return { ...inbox, webhooks: { ...webhooks, open: null } };
  if (place === 'requests') return { ...inbox, webhooks: { ...webhooks, webhookId: null } };
  return inbox;
}

function undo(inbox: Inbox): Inbox {
  const { overlay, mail } = inbox;
  if (overlay?.kind !== 'filter') return inbox;
  const before = { ...inbox, overlay: null };
  if (overlay.of === 'tags') return before;
  if (overlay.of === 'list') return { ...before, mail: filtered(mail, overlay.before) };
  return withReadScroll(before, (scroll) => lookedFor(lookedFor(scroll, ''), overlay.before));
}

function turn(inbox: Inbox, by: 1 | -1): InboxStep {
  const at = TABS.indexOf(inbox.tab);
  const tab = TABS[(at + by + TABS.length) % TABS.length] ?? 'mail';
  return [{ ...inbox, tab }, loadsOf(tab)];
}

function loadsOf(tab: Inbox['tab']): InboxEffect[] {
  if (tab === 'webhooks') return [{ do: 'load-webhooks' }];
  return tab === 'authenticators' ? [{ do: 'load-authenticators' }] : [];
}

/**
 * Goes to the next or the previous match of a search. Without a search, it goes to the next or the previous message; if
 * one is open, it opens that message instead.
 */
function step(inbox: Inbox, place: FocusPlace, by: 1 | -1): InboxStep {
  if (place !== 'messages' && readScroll(inbox)?.find != null)
    return [withReadScroll(inbox, (scroll) => matchMoved(scroll, by)), []];
  if (place === 'request') return [inbox, []];
  const list = listOf(inbox.mail);
  const mail = withList(inbox.mail, (shown) => ({ ...select(shown, selectedIndex(list) + by), following: false }));
  if (place !== 'message') return [{ ...inbox, mail }, []];
  const { open: shown } = inbox.mail;
  const isSame = shown !== null && selectedRow(mail)?.id === outermostIdOf(shown);
  return inMail(inbox, isSame ? [mail, []] : mailOpened(mail));
}

/**
 * Runs an action on the open message, and first opens the selected one if none is open. An action that needs the
 * content runs when the content is loaded.
 */
function ofMessage(inbox: Inbox, needsContent: OpenMail['next'], act: (opened: Inbox) => InboxStep): InboxStep {
  const [mail, effects] = inbox.mail.open === null ? mailOpened(inbox.mail) : [inbox.mail, []];
  const { open: opened } = mail;
  if (opened === null) return [inbox, []];
  if (needsContent !== null && opened.mail === null) {
    return [{ ...inbox, mail: { ...mail, open: { ...opened, next: needsContent } } }, effects];
  }
  const [next, more] = act({ ...inbox, mail });
  return [next, [...effects, ...more]];
}

function withView(inbox: Inbox, change: (open: OpenMail) => [OpenMail, InboxEffect[]]): InboxStep {
  const { mail } = inbox;
  if (mail.open === null) return [inbox, []];
  const [open, effects] = change(mail.open);
  return inMail(inbox, [{ ...mail, open }, effects]);
}

function parts(inbox: Inbox, which: 'links' | 'attachments'): Inbox {
  const { open } = inbox.mail;
  const mail = open?.mail ?? null;
  if (open === null || mail === null) return inbox;
  if (mail[which].length === 0) return said(inbox, `This message has no ${which}.`);
  if (which === 'links') return { ...inbox, overlay: { kind: 'links', choice: chooseFrom(mail.links) } };
  return {
    ...inbox,
    overlay: { kind: 'attachments', messageId: outermostIdOf(open), choice: chooseFrom(mail.attachments) },
  };
}

function copyCode(inbox: Inbox, place: FocusPlace): InboxStep {
  if (place === 'authenticators') {
    const item = chosen(inbox.codes.authenticators);
    if (item === null) return [inbox, []];
    if (item.code === null) return [said(inbox, 'The code is not loaded yet.'), []];
    return [inbox, [{ do: 'copy', text: item.code, what: `the code of ${item.name}` }]];
  }
  const id = selectedRow(inbox.mail)?.id;
  const known = id === undefined || place === 'message' ? undefined : inbox.mail.codes.get(id);
  if (known !== undefined && id !== undefined) {
    const read = new Set(inbox.mail.read).add(id);
    const [next, effects] = copyOneOf({ ...inbox, mail: { ...inbox.mail, read } }, known);
    return [next, [...effects, { do: 'mark-read', id }]];
  }
  return ofMessage(inbox, 'copy-code', (opened) => {
    const mail = opened.mail.open?.mail ?? null;
    return mail === null ? [opened, []] : copyOneOf(opened, codesToTell(mail));
  });
}

function copyOneOf(inbox: Inbox, codes: FoundCodes): InboxStep {
  const [code, another] = codes;
  if (code === undefined) return [said(inbox, 'No code was found in this message.'), []];
  if (another === undefined) return [inbox, [{ do: 'copy', text: code, what: 'the code' }]];
  return [said(inbox, `Several codes are likely, so none was copied: ${codes.join(', ')}`), []];
}

function browse(inbox: Inbox): InboxStep {
  if (inbox.overlay?.kind === 'links') {
    const link = chosen(inbox.overlay.choice);
    return [inbox, link === null ? [] : [{ do: 'browse', url: link.url, messageId: null, attachedId: null }]];
  }
  const { open } = inbox.mail;
  const messageId = open === null ? (selectedRow(inbox.mail)?.id ?? null) : outermostIdOf(open);
  const attachedId = open === null || open.outer === null ? null : open.id;
  return [inbox, messageId === null ? [] : [{ do: 'browse', url: null, messageId, attachedId }]];
}

function withRequest(inbox: Inbox, command: 'replay' | 'copy-curl'): InboxStep {
  const id = inbox.webhooks.open?.id ?? selectedRowOf(inbox.webhooks.requests)?.id ?? null;
  if (id === null) return [inbox, []];
  if (command === 'replay') return [inbox, [{ do: 'replay', id }]];
  const [webhooks, effects] = inbox.webhooks.open === null ? requestOpened(inbox.webhooks) : [inbox.webhooks, []];
  const { open: opened } = webhooks;
  if (opened === null) return [inbox, []];
  if (opened.request === null)
    return inWebhooks(inbox, [{ ...webhooks, open: { ...opened, next: 'copy-curl' } }, effects]);
  return [inbox, [{ do: 'copy', text: opened.request.curl, what: 'the curl command' }]];
}
