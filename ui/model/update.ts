import { chooseFrom, itemsChanged } from './choice.ts';
import { authenticatorsCame, codeCame, codesDue } from './codes.ts';
import type { Effect } from './effects.ts';
import {
  fetchMoreRequests,
  hooksResized,
  noHooks,
  requestCame,
  requestCaptured,
  requestForwarded,
  requestsCame,
  requestsFailed,
  webhooksCame,
} from './hooks.ts';
import { type Inbox, type Notice, placeOf, type Step } from './inbox.ts';
import type { Input } from './inputs.ts';
import {
  emptyMail,
  fetchMore,
  filtered,
  listsResized,
  mailboxOpened,
  mailCame,
  messagesArrived,
  messagesCame,
  messagesFailed,
  messagesGone,
} from './mail.ts';
import { retried } from './message-list.ts';
import { obey } from './obey.ts';
import { measured } from './scroll.ts';

/** What an input makes of an inbox, and what is to be done for it. */
export function update(inbox: Inbox, input: Input): Step {
  const [next, effects] = take(inbox, input);
  // Whatever happened, what is on the screen now may lack rows.
  const [mail, forMail] = fetchMore(next.mail);
  const [hooks, forHooks] = next.tab === 'webhooks' ? fetchMoreRequests(next.hooks) : [next.hooks, []];
  return [{ ...next, mail, hooks }, [...effects, ...forMail, ...forHooks]];
}

function take(inbox: Inbox, input: Input): Step {
  switch (input.is) {
    case 'command':
      return obey(triedAgain({ ...inbox, notice: null }), placeOf(inbox), input.command);
    case 'typed':
      return [inbox.overlay?.kind === 'filter' ? { ...inbox, mail: filtered(inbox.mail, input.text) } : inbox, []];
    case 'resized':
      return [
        { ...inbox, mail: listsResized(inbox.mail, input.height), hooks: hooksResized(inbox.hooks, input.height) },
        [],
      ];
    case 'measured':
      return [laidOut(inbox, input.lines, input.height), []];
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
      return [{ ...inbox, mail: messagesFailed(inbox.mail, input.mailboxId), notice: bad(input.reason) }, []];
    case 'messages-arrived':
      return [{ ...inbox, mail: messagesArrived(inbox.mail, input.mailboxId, input.rows) }, []];
    case 'messages-gone': {
      const { ids, upTo } = input;
      const isGone = (id: string) => (ids === null ? upTo !== null && id <= upTo : ids.includes(id));
      return [{ ...inbox, mail: messagesGone(inbox.mail, input.mailboxId, isGone) }, []];
    }
    case 'mail':
      return opened({ ...inbox, mail: mailCame(inbox.mail, input.mail) });
    case 'mail-failed':
      return [mailFailed(inbox, input.id, input.reason), []];
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
      return [{ ...inbox, hooks: webhooksCame(inbox.hooks, input.webhooks) }, []];
    case 'requests':
      return [{ ...inbox, hooks: requestsCame(inbox.hooks, input.webhookId, input.rows, input.complete) }, []];
    case 'requests-failed':
      return [{ ...inbox, hooks: requestsFailed(inbox.hooks, input.webhookId), notice: bad(input.reason) }, []];
    case 'request-captured':
      return [{ ...inbox, hooks: requestCaptured(inbox.hooks, input.webhookId, input.row) }, []];
    case 'request-forwarded': {
      const [hooks, effects] = requestForwarded(inbox.hooks, input.id, input);
      return [{ ...inbox, hooks }, effects];
    }
    case 'request':
      return requestOpenedNow({ ...inbox, hooks: requestCame(inbox.hooks, input.request) });
    case 'request-failed': {
      const { open } = inbox.hooks;
      if (open?.id !== input.id) return [inbox, []];
      return [{ ...inbox, hooks: { ...inbox.hooks, open: { ...open, failure: input.reason } } }, []];
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

/** The feed is up, from the start or again: whatever was missed is loaded anew. */
function connected(inbox: Inbox): Step {
  const again = inbox.connection.state === 'lost';
  return [
    { ...triedAgain(inbox), connection: { state: 'live' } },
    again ? [{ do: 'load-mailboxes' }, ...reloads(inbox)] : [],
  ];
}

function reloads({ hooks, codes }: Inbox): Effect[] {
  return [
    ...(hooks.loaded ? [{ do: 'load-webhooks' } as const] : []),
    ...(codes.loaded ? [{ do: 'load-authenticators' } as const] : []),
  ];
}

/** Which mailboxes and webhooks are left is not known before they are loaded, so none is open until then. */
function startedAnew(inbox: Inbox, because: string): Inbox {
  const { loaded, requests } = inbox.hooks;
  return {
    ...inbox,
    mail: emptyMail(inbox.mail.all.height),
    hooks: { ...noHooks(requests.height), loaded },
    overlay: null,
    notice: { text: because, tone: 'plain' },
  };
}

function triedAgain(inbox: Inbox): Inbox {
  const { mail, hooks } = inbox;
  return {
    ...inbox,
    mail: { ...mail, all: retried(mail.all), found: mail.found === null ? null : retried(mail.found) },
    hooks: { ...hooks, requests: retried(hooks.requests) },
  };
}

function mailboxesCame(inbox: Inbox, { mailboxes, openId }: Extract<Input, { is: 'mailboxes' }>): Inbox {
  const { mail } = inbox;
  const next = { ...mail, mailboxes: itemsChanged(mail.mailboxes, mailboxes) };
  if (mail.mailboxId !== null && mailboxes.some(({ id }) => id === mail.mailboxId)) return { ...inbox, mail: next };
  const wanted = mailboxes.find(({ id }) => id === openId) ?? mailboxes[0];
  if (wanted === undefined) return { ...inbox, mail: { ...emptyMail(mail.all.height), mailboxes: next.mailboxes } };
  const index = mailboxes.indexOf(wanted);
  return { ...inbox, mail: mailboxOpened({ ...next, mailboxes: chooseFrom(mailboxes, index) }, wanted.id) };
}

/** The open message is here: what the reader asked of it meanwhile is done now. */
function opened(inbox: Inbox): Step {
  const { open } = inbox.mail;
  if (open?.mail == null || open.next === null) return [inbox, []];
  return obey({ ...inbox, mail: { ...inbox.mail, open: { ...open, next: null } } }, 'message', open.next);
}

function requestOpenedNow(inbox: Inbox): Step {
  const { open } = inbox.hooks;
  if (open?.request == null || open.next === null) return [inbox, []];
  return obey({ ...inbox, hooks: { ...inbox.hooks, open: { ...open, next: null } } }, 'request', open.next);
}

function mailFailed(inbox: Inbox, id: string, reason: string): Inbox {
  const { open } = inbox.mail;
  return open?.id === id ? { ...inbox, mail: { ...inbox.mail, open: { ...open, failure: reason } } } : inbox;
}

function laidOut(inbox: Inbox, lines: number, height: number): Inbox {
  const { mail, hooks, overlay } = inbox;
  if (overlay?.kind === 'help') {
    const scroll = measured(overlay.scroll, lines, height);
    return scroll === overlay.scroll ? inbox : { ...inbox, overlay: { ...overlay, scroll } };
  }
  if (inbox.tab === 'mail' && mail.open !== null) {
    const scroll = measured(mail.open.scroll, lines, height);
    return scroll === mail.open.scroll ? inbox : { ...inbox, mail: { ...mail, open: { ...mail.open, scroll } } };
  }
  if (inbox.tab === 'webhooks' && hooks.open !== null) {
    const scroll = measured(hooks.open.scroll, lines, height);
    return scroll === hooks.open.scroll ? inbox : { ...inbox, hooks: { ...hooks, open: { ...hooks.open, scroll } } };
  }
  return inbox;
}

function bad(text: string): Notice {
  return { text, tone: 'bad' };
}
