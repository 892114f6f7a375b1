import { SAID } from '../../../src/text/wording.ts';
import { arrived, gone, loadingFailed, type MessageList, pageCame, retried } from '../../model/message-list.ts';
import { chooseFrom, itemsChanged } from './choice.ts';
import { authenticatorsCame, codeCame, codesDue } from './codes.ts';
import { deletionDone, deletionFailed, finishDeletion } from './deletion.ts';
import type { InboxEffect } from './effects.ts';
import { focusPlace, type Inbox, type InboxStep, inWebhooks, said, withReadScroll } from './inbox.ts';
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
  withLists,
} from './mail.ts';
import { marksRefused, marksTold } from './marks.ts';
import type { RequestRow } from './resources.ts';
import { runInboxCommand } from './run-command.ts';
import { lookedFor, measured } from './scroll.ts';
import {
  countedAgain,
  fetchMoreRequests,
  noWebhooks,
  type OpenRequest,
  requestForwarded,
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
      return [said({ ...inbox, mail: messagesFailed(inbox.mail, input) }, input.reason, 'bad'), []];
    case 'messages-arrived':
      return [{ ...inbox, mail: messagesArrived(inbox.mail, input.mailboxId, input.rows) }, []];
    case 'messages-gone': {
      const { ids, upTo } = input;
      const isGone = (id: string) => (ids === null ? upTo !== null && id <= upTo : ids.includes(id));
      const next = { ...inbox, mail: messagesGone(inbox.mail, input.mailboxId, isGone) };
      const isOpenGone = inbox.mail.open !== null && next.mail.open === null;
      return [isOpenGone ? said(next, SAID.openGone) : next, []];
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
      return [withRequests(inbox, input.webhookId, (list) => pageCame(list, input.rows, input.complete)), []];
    case 'requests-failed':
      return [said(withRequests(inbox, input.webhookId, loadingFailed), input.reason, 'bad'), []];
    case 'request-captured': {
      const next = withRequests(inbox, input.webhookId, (list) => arrived(list, input.row));
      return [next, countedAgain(inbox.webhooks)];
    }
    case 'requests-trimmed': {
      const next = withRequests(inbox, input.webhookId, (list) => gone(list, ({ id }) => id <= input.upTo));
      return [next, countedAgain(inbox.webhooks)];
    }
    case 'request-forwarded':
      return inWebhooks(inbox, requestForwarded(inbox.webhooks, input.id, input));
    case 'request': {
      const { request } = input;
      return requestOpenedNow(withOpenRequest(inbox, request.id, { request, failure: null }));
    }
    case 'request-failed':
      return [withOpenRequest(inbox, input.id, { failure: input.reason }), []];
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

/** Changes the list of captured requests, if it is that of the given webhook. */
function withRequests(
  inbox: Inbox,
  webhookId: string,
  change: (list: MessageList<RequestRow>) => MessageList<RequestRow>,
): Inbox {
  const { webhooks } = inbox;
  if (webhooks.webhookId !== webhookId) return inbox;
  return { ...inbox, webhooks: { ...webhooks, requests: change(webhooks.requests) } };
}

/** Changes the open request, if it is the given one. */
function withOpenRequest(inbox: Inbox, id: string, change: Partial<OpenRequest>): Inbox {
  const { open } = inbox.webhooks;
  return open?.id === id ? { ...inbox, webhooks: { ...inbox.webhooks, open: { ...open, ...change } } } : inbox;
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
      ...withLists(mail, retried),
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
  return runInboxCommand(withOpenRequest(inbox, open.id, { next: null }), 'request', open.next);
}

function typed(inbox: Inbox, text: string): Inbox {
  if (inbox.overlay?.kind !== 'filter') return inbox;
  if (inbox.overlay.of === 'list') return { ...inbox, mail: filtered(inbox.mail, text) };
  if (inbox.overlay.of === 'tags') return { ...inbox, overlay: { ...inbox.overlay, text } };
  return withReadScroll(inbox, (scroll) => lookedFor(scroll, text));
}
