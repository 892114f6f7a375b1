import {
  arrived,
  emptyList,
  gone,
  holdSelection,
  loading,
  loadingFailed,
  type MessageList,
  pageCame,
  resized,
  selectedIndex,
  wantsMore,
} from '../../model/message-list.ts';
import { type Choice, chooseFrom, itemsChanged } from './choice.ts';
import type { InboxEffect } from './effects.ts';
import type { RequestDetail, RequestRow, WebhookItem } from './resources.ts';
import { type Scroll, TOP } from './scroll.ts';

/** The number of captured requests on one page of the API. */
export const REQUESTS_A_PAGE = 100;

/** The webhook part of an inbox: the webhooks, the captured requests of one of them, and the open request. */
export interface HookState {
  readonly webhooks: Choice<WebhookItem>;
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

export function noHooks(height: number): HookState {
  return { webhooks: chooseFrom([]), loaded: false, webhookId: null, requests: emptyList(height), open: null };
}

export function webhooksCame(hooks: HookState, items: readonly WebhookItem[]): HookState {
  const kept = items.some(({ id }) => id === hooks.webhookId);
  return {
    ...hooks,
    webhooks: itemsChanged(hooks.webhooks, items),
    loaded: true,
    ...(kept ? {} : { webhookId: null, requests: emptyList<RequestRow>(hooks.requests.height), open: null }),
  };
}

export function webhookOpened(hooks: HookState, webhookId: string): HookState {
  return { ...hooks, webhookId, requests: emptyList(hooks.requests.height), open: null };
}

/**
 * Requests the next page of captured requests if the screen needs one. The page number follows from the number of
 * loaded rows. If requests arrived meanwhile, the page repeats some rows, and the list drops these.
 */
export function fetchMoreRequests(hooks: HookState): [HookState, InboxEffect[]] {
  const { webhookId, requests } = hooks;
  if (webhookId === null || !wantsMore(requests)) return [hooks, []];
  const page = Math.floor(requests.rows.length / REQUESTS_A_PAGE) + 1;
  return [{ ...hooks, requests: loading(requests) }, [{ do: 'load-requests', webhookId, page }]];
}

export function requestsCame(
  hooks: HookState,
  webhookId: string,
  rows: readonly RequestRow[],
  complete: boolean,
): HookState {
  return webhookId === hooks.webhookId ? { ...hooks, requests: pageCame(hooks.requests, rows, complete) } : hooks;
}

export function requestsFailed(hooks: HookState, webhookId: string): HookState {
  return webhookId === hooks.webhookId ? { ...hooks, requests: loadingFailed(hooks.requests) } : hooks;
}

/** Adds a captured request. The server counts it, because a list that is on its way may count it already. */
export function requestCaptured(hooks: HookState, webhookId: string, row: RequestRow): [HookState, InboxEffect[]] {
  const requests = webhookId === hooks.webhookId ? arrived(hooks.requests, row) : hooks.requests;
  return [{ ...hooks, requests }, countedAgain(hooks)];
}

/** Removes the oldest requests of a webhook, which made room for newer ones. */
export function requestsTrimmed(hooks: HookState, webhookId: string, upTo: string): [HookState, InboxEffect[]] {
  const requests = webhookId === hooks.webhookId ? gone(hooks.requests, ({ id }) => id <= upTo) : hooks.requests;
  return [{ ...hooks, requests }, countedAgain(hooks)];
}

function countedAgain({ loaded }: HookState): InboxEffect[] {
  return loaded ? [{ do: 'load-webhooks' }] : [];
}

/** Stores the result of forwarding a request to its target. */
export function requestForwarded(
  hooks: HookState,
  id: string,
  outcome: Pick<RequestRow, 'forward' | 'forwardHttpStatus'>,
): [HookState, InboxEffect[]] {
  const rows = hooks.requests.rows.map((row) => (row.id === id ? { ...row, ...outcome } : row));
  const next = { ...hooks, requests: { ...hooks.requests, rows } };
  return [next, hooks.open?.id === id ? [{ do: 'load-request', id }] : []];
}

export function selectedRequest({ requests }: HookState): RequestRow | null {
  return requests.rows[requests.waiting + selectedIndex(requests)] ?? null;
}

export function requestOpened(hooks: HookState): [HookState, InboxEffect[]] {
  const row = selectedRequest(hooks);
  if (row === null) return [hooks, []];
  const open: OpenRequest = { id: row.id, request: null, failure: null, next: null, scroll: TOP };
  return [{ ...hooks, open, requests: holdSelection(hooks.requests) }, [{ do: 'load-request', id: row.id }]];
}

export function requestCame(hooks: HookState, request: RequestDetail): HookState {
  return hooks.open?.id === request.id ? { ...hooks, open: { ...hooks.open, request, failure: null } } : hooks;
}

export function hooksResized(hooks: HookState, height: number): HookState {
  return { ...hooks, requests: resized(hooks.requests, height) };
}
