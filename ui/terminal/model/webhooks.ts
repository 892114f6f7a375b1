import {
  emptyList,
  holdSelection,
  loading,
  type MessageList,
  resized,
  selectedRowOf,
  wantsMore,
} from '../../model/message-list.ts';
import { type Choice, chooseFrom, itemsChanged } from './choice.ts';
import type { InboxEffect } from './effects.ts';
import type { RequestDetail, RequestRow, WebhookItem } from './resources.ts';
import { type Scroll, TOP } from './scroll.ts';

/** The number of captured requests on one page of the API. */
export const REQUESTS_A_PAGE = 100;

/** The webhook part of an inbox: the webhooks, the captured requests of one of them, and the open request. */
export interface WebhookState {
  readonly all: Choice<WebhookItem>;
  readonly loaded: boolean;
  readonly webhookId: string | null;
  readonly requests: MessageList<RequestRow>;
  readonly open: OpenRequest | null;
}

export interface OpenRequest {
  readonly id: string;
  readonly request: RequestDetail | null;
  readonly failure: string | null;
  /** The command that the reader gave before the request was loaded. It runs when the request arrives. */
  readonly next: 'copy-curl' | null;
  readonly scroll: Scroll;
}

export function noWebhooks(height: number): WebhookState {
  return { all: chooseFrom([]), loaded: false, webhookId: null, requests: emptyList(height), open: null };
}

export function webhooksCame(webhooks: WebhookState, items: readonly WebhookItem[]): WebhookState {
  const kept = items.some(({ id }) => id === webhooks.webhookId);
  return {
    ...webhooks,
    all: itemsChanged(webhooks.all, items),
    loaded: true,
    ...(kept ? {} : { webhookId: null, requests: emptyList<RequestRow>(webhooks.requests.height), open: null }),
  };
}

export function webhookOpened(webhooks: WebhookState, webhookId: string): WebhookState {
  return { ...webhooks, webhookId, requests: emptyList(webhooks.requests.height), open: null };
}

/**
 * Requests the next page of captured requests if the screen needs one. The page number follows from the number of
 * loaded rows. If requests arrived meanwhile, the page repeats some rows, and the list drops these.
 */
export function fetchMoreRequests(webhooks: WebhookState): [WebhookState, InboxEffect[]] {
  const { webhookId, requests } = webhooks;
  if (webhookId === null || !wantsMore(requests)) return [webhooks, []];
  const page = Math.floor(requests.rows.length / REQUESTS_A_PAGE) + 1;
  return [{ ...webhooks, requests: loading(requests) }, [{ do: 'load-requests', webhookId, page }]];
}

/** Has the server count the requests of each webhook, because a list that is on its way may count a new one already. */
export function countedAgain({ loaded }: WebhookState): InboxEffect[] {
  return loaded ? [{ do: 'load-webhooks' }] : [];
}

/** Stores the result of forwarding a request to its target. */
export function requestForwarded(
  webhooks: WebhookState,
  id: string,
  outcome: Pick<RequestRow, 'forward' | 'forwardHttpStatus'>,
): [WebhookState, InboxEffect[]] {
  const rows = webhooks.requests.rows.map((row) => (row.id === id ? { ...row, ...outcome } : row));
  const next = { ...webhooks, requests: { ...webhooks.requests, rows } };
  return [next, webhooks.open?.id === id ? [{ do: 'load-request', id }] : []];
}

export function requestOpened(webhooks: WebhookState): [WebhookState, InboxEffect[]] {
  const row = selectedRowOf(webhooks.requests);
  if (row === null) return [webhooks, []];
  const open: OpenRequest = { id: row.id, request: null, failure: null, next: null, scroll: TOP };
  return [{ ...webhooks, open, requests: holdSelection(webhooks.requests) }, [{ do: 'load-request', id: row.id }]];
}

export function webhooksResized(webhooks: WebhookState, height: number): WebhookState {
  return { ...webhooks, requests: resized(webhooks.requests, height) };
}
