import type { FocusPlace } from '../../model/keys.ts';
import { type ListRow, type MessageList, moved, toNewest, toOldest } from '../../model/message-list.ts';
import { type Choice, choiceMoved } from './choice.ts';
import { type Inbox, withReadScroll } from './inbox.ts';
import { withList } from './mail.ts';
import { type Scroll, scrolled, scrolledTo } from './scroll.ts';

export type Movement = 'next' | 'previous' | 'first' | 'last' | 'half-down' | 'half-up' | 'page-down' | 'page-up';

/** Moves the selection of a list, or scrolls the open text. */
export function move(inbox: Inbox, place: FocusPlace, movement: Movement): Inbox {
  const { mail, webhooks, codes, overlay } = inbox;
  switch (place) {
    case 'messages':
      return { ...inbox, mail: withList(mail, (list) => moveList(list, movement)) };
    case 'requests':
      return { ...inbox, webhooks: { ...webhooks, requests: moveList(webhooks.requests, movement) } };
    case 'message':
    case 'request':
    case 'help':
      return withReadScroll(inbox, (scroll) => moveText(scroll, movement));
    case 'webhooks':
      return { ...inbox, webhooks: { ...webhooks, all: moveChoice(webhooks.all, movement) } };
    case 'authenticators':
      return { ...inbox, codes: { ...codes, authenticators: moveChoice(codes.authenticators, movement) } };
    case 'mailboxes':
      return { ...inbox, mail: { ...mail, mailboxes: moveChoice(mail.mailboxes, movement) } };
    default:
      break;
  }
  if (overlay?.kind === 'links')
    return { ...inbox, overlay: { ...overlay, choice: moveChoice(overlay.choice, movement) } };
  if (overlay?.kind === 'attachments')
    return { ...inbox, overlay: { ...overlay, choice: moveChoice(overlay.choice, movement) } };
  return inbox;
}

function moveList<R extends ListRow>(list: MessageList<R>, movement: Movement): MessageList<R> {
  if (movement === 'first') return toNewest(list);
  if (movement === 'last') return toOldest(list);
  return moved(list, distance(movement, list.height));
}

function moveText(scroll: Scroll, movement: Movement): Scroll {
  if (movement === 'first' || movement === 'last') return scrolledTo(scroll, movement);
  return scrolled(scroll, distance(movement, scroll.height));
}

function moveChoice<Item>(choice: Choice<Item>, movement: Movement): Choice<Item> {
  return choiceMoved(choice, distance(movement, 10));
}

function distance(movement: Movement, height: number): number {
  const half = Math.max(1, height >> 1);
  const page = Math.max(1, height - 1);
  const distances: Readonly<Record<Movement, number>> = {
    ...{ next: 1, previous: -1, first: Number.NEGATIVE_INFINITY, last: Number.MAX_SAFE_INTEGER },
    ...{ 'half-down': half, 'half-up': -half, 'page-down': page, 'page-up': -page },
  };
  return distances[movement];
}
