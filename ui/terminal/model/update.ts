import { SAID } from '../../../src/text/wording.ts';
import { retried } from '../../model/message-list.ts';
import type { InboxNotice } from '../../model/status.ts';
import { chooseFrom, itemsChanged } from './choice.ts';
import { authenticatorsCame, codeCame, codesDue } from './codes.ts';
import { deletionDone, deletionFailed, finishDeletion } from './deletion.ts';
import type { InboxEffect } from './effects.ts';
import { focusPlace, type Inbox, type InboxStep, withReadScroll } from './inbox.ts';
import type { Input } from './inputs.ts';
import {
  emptyMail,
  fetchMore,
  filtered,
  listsResized,
  mailboxOpened,
  mailCame,
  mailFailed,
  messagesArrived,
  messagesCame,
  messagesFailed,
  messagesGone,
  requestMissing,
  rowDetailsCame,
} from './mail.ts';
import { marksRefused, marksTold } from './marks.ts';
import { runInboxCommand } from './run-command.ts';
import { lookedFor, measured } from './scroll.ts';
import {
  fetchMoreRequests,
  noWebhooks,
  requestCame,
  requestCaptured,
  requestForwarded,
  requestsCame,
  requestsFailed,
  requestsTrimmed,
  webhooksCame,
  webhooksResized,
} from './webhooks.ts';

/** Applies an input to the inbox. It returns the new state and the effects that the shell must perform. */
export function update(inbox: Inbox, input: Input): InboxStep {
  const [next, effects] = take(inbox, input);
  // Any input can leave the screen short of rows, so every step checks this.
  const [more, forMail] = fetchMore(next.mail);
  const [mail, forRows] = next.tab === 'mail' ? requestMissing(more) : [more, []];
  const [webhooks, forWebhooks] = next.tab === 'webhooks' ? fetchMoreRequests(next.webhooks) : [next.webhooks, []];
  return [{ ...next, mail, webhooks }, [...effects, ...forMail, ...forRows, ...forWebhooks]];
}

function take(inbox: Inbox, input: Input): InboxStep {
  switch (input.is) {
    case 'command':
      return runInboxCommand(triedAgain({ ...inbox, notice: null }), focusPlace(inbox), input.command);
    case 'typed':
      return [typed(inbox, input.text), []];
    case 'resized': {
      const { height, besides } = input;
      const mail = listsResized(inbox.mail, height, besides);
      return [{ ...inbox, mail, webhooks: webhooksResized(inbox.webhooks, height) }, []];
    }
    case 'measured': {
      const { lines, height, matches } = input;
      return [withReadScroll(inbox, (scroll) => measured(scroll, lines, height, matches)), []];
    }
    case 'server':
      return [{ ...inbox, server: input.server }, []];
    case 'connected':
      return connected(inbox);
    case 'disconnected':
      return [{ ...inbox, connection: { state: 'lost', reason: input.reason } }, []];
    case 'notice':
      return [{ ...inbox, notice: input.notice }, []];
    case 'mailboxes':
      return [mailboxesCame(inbox, input), []];
    case 'messages':
      return [{ ...inbox, mail: messagesCame(inbox.mail, input) }, []];
    case 'messages-failed':
      return [{ ...inbox, mail: messagesFailed(inbox.mail, input), notice: bad(input.reason) }, []];
    case 'messages-arrived':
      return [{ ...inbox, mail: messagesArrived(inbox.mail, input.mailboxId, input.rows) }, []];
    case 'messages-gone': {
      const { ids, upTo } = input;
      const isGone = (id: string) => (ids === null ? upTo !== null && id <= upTo : ids.includes(id));
      const mail = messagesGone(inbox.mail, input.mailboxId, isGone);
      const isOpenGone = inbox.mail.open !== null && mail.open === null;
      return [{ ...inbox, mail, notice: isOpenGone ? { text: SAID.openGone, tone: 'plain' } : inbox.notice }, []];
    }
    case 'marked':
      return [{ ...inbox, mail: marksTold(inbox.mail, input.marks) }, []];
    case 'marks-refused':
      return [marksRefused(inbox, input.id, input.marks, input.reason), []];
    case 'undo-over':
      return [inbox, finishDeletion(inbox.mail, input.id)];
    case 'deletion-done':
      return [{ ...inbox, mail: deletionDone(inbox.mail, input.id) }, []];
    case 'deletion-failed':
      return [deletionFailed(inbox, input.id, input.reason), []];
    case 'mail':
      return opened({ ...inbox, mail: mailCame(inbox.mail, input.mail) });
    case 'mail-failed':
      return [{ ...inbox, mail: mailFailed(inbox.mail, input.id, input.reason) }, []];
    case 'row-details':
      return [{ ...inbox, mail: rowDetailsCame(inbox.mail, input.found) }, []];
    case 'row-details-failed':
      return [{ ...inbox, mail: { ...inbox.mail, asking: 'failed' } }, []];
    case 'source': {
      const { open } = inbox.mail;
      if (open?.id !== input.id) return [inbox, []];
      return [{ ...inbox, mail: { ...inbox.mail, open: { ...open, source: input.source } } }, []];
    }
    case 'mailboxes-changed':
      return [inbox, [{ do: 'load-mailboxes' }]];
    case 'reset':
      return [startedAnew(inbox, input.because), [{ do: 'load-mailboxes' }, ...reloads(inbox)]];
    case 'webhooks':
      return [{ ...inbox, webhooks: webhooksCame(inbox.webhooks, input.webhooks) }, []];
    case 'requests':
      return [{ ...inbox, webhooks: requestsCame(inbox.webhooks, input.webhookId, input.rows, input.complete) }, []];
    case 'requests-failed':
      return [{ ...inbox, webhooks: requestsFailed(inbox.webhooks, input.webhookId), notice: bad(input.reason) }, []];
    case 'request-captured': {
      const [webhooks, effects] = requestCaptured(inbox.webhooks, input.webhookId, input.row);
      return [{ ...inbox, webhooks }, effects];
    }
    case 'requests-trimmed': {
      const [webhooks, effects] = requestsTrimmed(inbox.webhooks, input.webhookId, input.upTo);
      return [{ ...inbox, webhooks }, effects];
    }
    case 'request-forwarded': {
      const [webhooks, effects] = requestForwarded(inbox.webhooks, input.id, input);
      return [{ ...inbox, webhooks }, effects];
    }
    case 'request':
      return requestOpenedNow({ ...inbox, webhooks: requestCame(inbox.webhooks, input.request) });
    case 'request-failed': {
      const { open } = inbox.webhooks;
      if (open?.id !== input.id) return [inbox, []];
      return [{ ...inbox, webhooks: { ...inbox.webhooks, open: { ...open, failure: input.reason } } }, []];
    }
    case 'authenticators':
      return [{ ...inbox, codes: authenticatorsCame(inbox.codes, input.authenticators) }, []];
    case 'code':
      return [{ ...inbox, codes: codeCame(inbox.codes, input.id, input.code, input.expiresAt) }, []];
    case 'tick': {
      if (inbox.tab !== 'authenticators') return [inbox, []];
      const [codes, effects] = codesDue(inbox.codes, input.now);
      return [{ ...inbox, codes }, effects];
    }
  }
}

/** The feed is connected. After a lost connection, everything is loaded again. */
function connected(inbox: Inbox): InboxStep {
  const again = inbox.connection.state === 'lost';
  return [
    { ...triedAgain(inbox), connection: { state: 'live' } },
    again ? [{ do: 'load-mailboxes' }, ...reloads(inbox)] : [],
  ];
}

function reloads({ webhooks, codes }: Inbox): InboxEffect[] {
  return [
    ...(webhooks.loaded ? [{ do: 'load-webhooks' } as const] : []),
    ...(codes.loaded ? [{ do: 'load-authenticators' } as const] : []),
  ];
}

/** Clears the inbox after a reset. No mailbox is open until the new list of mailboxes arrives. */
function startedAnew(inbox: Inbox, because: string): Inbox {
  const { loaded, requests } = inbox.webhooks;
  return {
    ...inbox,
    mail: emptied(inbox.mail),
    webhooks: { ...noWebhooks(requests.height), loaded },
    overlay: null,
    notice: { text: because, tone: 'plain' },
  };
}

function emptied({ all, besides }: Inbox['mail']): Inbox['mail'] {
  return { ...emptyMail(all.height), besides };
}

function triedAgain(inbox: Inbox): Inbox {
  const { mail, webhooks } = inbox;
  return {
    ...inbox,
    mail: {
      ...mail,
      all: retried(mail.all),
      found: mail.found === null ? null : retried(mail.found),
      asking: mail.asking === 'failed' ? 'no' : mail.asking,
      preview: mail.preview?.failure == null ? mail.preview : null,
    },
    webhooks: { ...webhooks, requests: retried(webhooks.requests) },
  };
}

function mailboxesCame(inbox: Inbox, { mailboxes, openId }: Extract<Input, { is: 'mailboxes' }>): Inbox {
  const { mail } = inbox;
  const next = { ...mail, mailboxes: itemsChanged(mail.mailboxes, mailboxes) };
  if (mail.mailboxId !== null && mailboxes.some(({ id }) => id === mail.mailboxId)) return { ...inbox, mail: next };
  const wanted = mailboxes.find(({ id }) => id === openId) ?? mailboxes[0];
  if (wanted === undefined) return { ...inbox, mail: { ...emptied(mail), mailboxes: next.mailboxes } };
  const index = mailboxes.indexOf(wanted);
  return { ...inbox, mail: mailboxOpened({ ...next, mailboxes: chooseFrom(mailboxes, index) }, wanted.id) };
}

/** Runs the command that waited for the open message to load. */
function opened(inbox: Inbox): InboxStep {
  const { open } = inbox.mail;
  if (open?.mail == null || open.next === null) return [inbox, []];
  return runInboxCommand({ ...inbox, mail: { ...inbox.mail, open: { ...open, next: null } } }, 'message', open.next);
}

function requestOpenedNow(inbox: Inbox): InboxStep {
  const { open } = inbox.webhooks;
  if (open?.request == null || open.next === null) return [inbox, []];
  return runInboxCommand(
    { ...inbox, webhooks: { ...inbox.webhooks, open: { ...open, next: null } } },
    'request',
    open.next,
  );
}

function typed(inbox: Inbox, text: string): Inbox {
  if (inbox.overlay?.kind !== 'filter') return inbox;
  if (inbox.overlay.of === 'list') return { ...inbox, mail: filtered(inbox.mail, text) };
  if (inbox.overlay.of === 'tags') return { ...inbox, overlay: { ...inbox.overlay, text } };
  return withReadScroll(inbox, (scroll) => lookedFor(scroll, text));
}

function bad(text: string): InboxNotice {
  return { text, tone: 'bad' };
}
