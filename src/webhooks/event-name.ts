import { shorten } from '../text/shorten.ts';
import { isObject } from '../text/unknown.ts';

/** What a captured request is about, as a list tells it. */
export interface EventName {
  /** The event, such as `charge.refunded` or `pull_request.opened`. Null if the request names none. */
  readonly event: string | null;
  /** The thing that it concerns, such as an id or a title. Null if the request names none. */
  readonly about: string | null;
}

/** Headers in which services name the event, in lower case. */
const EVENT_HEADERS = [
  'x-github-event',
  'x-gitea-event',
  'x-gitlab-event',
  'x-event-key',
  'x-shopify-topic',
  'x-wc-webhook-topic',
  'x-event-type',
  'x-webhook-event',
  'ce-type',
];
/** Fields of a JSON body that name the event: of Stripe, Standard Webhooks, Slack, PayPal and others. */
const EVENT_FIELDS = ['type', 'event', 'event_type', 'eventType', 'event_name', 'topic', 'alert_name'];
/** Fields that name the thing, in an object that is the body, its data, or the only object of its data. */
const ABOUT_FIELDS = ['title', 'name', 'number', 'id', 'email'];
const MOST = 120;

/** Finds the event that a request tells, by its headers and its JSON body. `body` is null if it is no JSON. */
export function eventNameOf(headers: ReadonlyMap<string, string>, body: unknown): EventName {
  const object = isObject(body) ? body : {};
  const header = EVENT_HEADERS.map((name) => headers.get(name)).find((value) => value !== undefined && value !== '');
  const inner = object['event'];
  const field = EVENT_FIELDS.map((name) => text(object[name])).find((value) => value !== null) ?? null;
  // Slack wraps the event: `type` is `event_callback`, and `event.type` tells more.
  const nested = isObject(inner) ? text(inner['type']) : null;
  const action = header === undefined ? null : text(object['action']);
  const event = header === undefined ? (nested ?? field) : action === null ? header : `${header}.${action}`;
  return { event: cut(event), about: cut(aboutOf(object)) };
}

function aboutOf(body: Readonly<Record<string, unknown>>): string | null {
  const data = isObject(body['data']) ? body['data'] : null;
  const places = [
    data !== null && isObject(data['object']) ? data['object'] : data,
    ...['resource', 'pull_request', 'issue', 'order', 'object'].map((name) => body[name]),
    body,
  ];
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of ABOUT_FIELDS) {
      const found = text(place[name]);
      if (found !== null) return found;
    }
  }
  return null;
}

function text(value: unknown): string | null {
  // The reader of JSON rounds a longer number, so it would name another thing.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function cut(value: string | null): string | null {
  return value === null ? null : shorten(value, MOST);
}
