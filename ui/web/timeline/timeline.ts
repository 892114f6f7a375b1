import { harmlessLine } from '../../../src/text/harmless.ts';
import { saidCount } from '../../../src/text/said.ts';
import { nameOfMessage } from '../../../src/text/wording.ts';
import type { FeedEvent } from '../app/ports.ts';
import { saidStage } from './stages.ts';

// The timeline lists the events of the feed by time.

export const TIMELINE_KINDS = ['mail', 'webhook', 'send', 'refusal', 'mailbox', 'server'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** The label of each kind. */
export const KIND_NAMES: Readonly<Record<TimelineKind, string>> = {
  mail: 'Mail',
  webhook: 'Webhooks',
  send: 'Outbound',
  refusal: 'Refused',
  mailbox: 'Mailboxes',
  server: 'Server',
};

export interface TimelineItem {
  readonly id: string;
  readonly kind: TimelineKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly title: string;
  readonly detail: string;
  readonly tone: 'good' | 'bad' | 'plain' | 'waiting';
  readonly mailboxId: string | null;
  /** True if a request was captured, whose event can be asked for. */
  readonly isCapture?: boolean;
  /** The message that the entry is about. The entry of its arrival has its subject. */
  readonly messageId?: string | null;
  /** The messages that went with the entry: those with these ids, or all of its mailbox up to this one. */
  readonly gone?: { readonly ids: readonly string[] } | { readonly upTo: string };
  /** The webhook that the entry is about. */
  readonly webhookId?: string | null;
  /** The page that the entry links to, if there is one. */
  readonly leadsTo:
    | { readonly message: string }
    | { readonly request: string; readonly webhook: string }
    | { readonly send: string }
    | null;
}

/** The part of a marked message that its entry tells. */
interface MarkedMessage {
  readonly id: string;
  readonly read: boolean;
  readonly starred: boolean;
  readonly tags: readonly string[];
}

/** Converts a feed event into a timeline entry. */
export function timelineItem(event: FeedEvent): TimelineItem {
  const { data } = event;
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : null);
  const count = typeof data['count'] === 'number' ? data['count'] : 1;
  const counted = (noun: string) => saidCount(count, noun);
  const base = {
    id: event.id,
    at: Date.parse(event.at),
    mailboxId: text('mailboxId'),
    leadsTo: null,
    tone: 'plain',
  } as const;
  const webhookId = text('webhookId');
  const webhook = { ...base, kind: 'webhook', webhookId } as const;
  switch (event.type) {
    case 'message.received':
      return {
        ...base,
        kind: 'mail',
        tone: 'good',
        title: nameOfMessage({ subject: text('subject'), kind: text('kind') ?? undefined }, 120),
        detail: `${harmlessLine(text('from') ?? 'nobody', 80)} → ${harmlessLine(text('to') ?? 'nobody', 80)}`,
        leadsTo: { message: event.id },
      };
    case 'message.updated': {
      const marked: readonly MarkedMessage[] = Array.isArray(data['messages']) ? data['messages'] : [];
      const [first] = marked;
      if (first === undefined || marked.length > 1)
        return { ...base, kind: 'mail', title: `${saidCount(marked.length, 'message')} marked`, detail: '' };
      const { id, read, starred, tags } = first;
      return {
        ...base,
        kind: 'mail',
        messageId: id,
        title: `Marked ${[read ? 'read' : 'unread', ...(starred ? ['starred'] : [])].join(', ')}`,
        detail: tags.map((tag) => harmlessLine(tag, 40)).join(', '),
        leadsTo: { message: id },
      };
    }
    case 'message.deleted': {
      const why = text('reason') ?? 'deleted';
      const how = why === 'expired' ? 'past retention' : why;
      const ids = Array.isArray(data['ids']) ? data['ids'].map(String) : null;
      const gone = ids === null ? { upTo: text('upTo') ?? event.id } : { ids };
      return { ...base, kind: 'mail', title: `${counted('message')} ${how}`, detail: '', gone };
    }
    case 'webhook.created':
    case 'webhook.updated':
    case 'webhook.deleted':
      return {
        ...webhook,
        title: `Webhook ${saidChange(event.type)}`,
        detail: harmlessLine(text('name') ?? ''),
      };
    case 'webhook.cleared':
      return { ...webhook, title: `${counted('request')} deleted`, detail: '' };
    case 'webhook.captured':
      return {
        ...webhook,
        tone: 'good',
        isCapture: true,
        title: `${text('method') ?? ''} ${harmlessLine(text('path') ?? '/', 120)}`,
        detail: `answered ${statusOf(data['responseStatus'])}`,
        leadsTo: { request: event.id, webhook: webhookId ?? '' },
      };
    case 'webhook.forwarded': {
      const failed = data['forwardStatus'] === 3;
      return {
        ...webhook,
        tone: failed ? 'bad' : 'good',
        title: failed ? 'Forwarding failed' : 'Forwarded',
        detail: [statusOf(data['forwardHttpStatus']), `attempt ${String(data['forwardAttempts'] ?? 1)}`]
          .filter(Boolean)
          .join(', '),
        leadsTo: { request: text('requestId') ?? '', webhook: webhookId ?? '' },
      };
    }
    case 'webhook.trimmed':
      return {
        ...webhook,
        tone: 'bad',
        title: `${counted('request')} removed`,
        detail: 'the oldest ones: the quota is used up',
      };
    case 'send.updated':
      return {
        ...base,
        kind: 'send',
        messageId: text('messageId'),
        tone: toneOfState(text('state') ?? ''),
        title: `Send ${text('state') ?? ''}`,
        detail: recipientsOf(data['recipients'], text('state')),
        leadsTo: { send: text('sendId') ?? '' },
      };
    case 'suppression.added':
      return {
        ...base,
        kind: 'send',
        tone: 'bad',
        title: `${harmlessLine(text('recipient') ?? '')} suppressed`,
        detail: text('reason') ?? '',
      };
    case 'mailbox.created':
    case 'mailbox.updated':
    case 'mailbox.deleted':
      return {
        ...base,
        kind: 'mailbox',
        title: `Mailbox ${saidChange(event.type)}`,
        ...(event.type === 'mailbox.deleted' && { gone: { upTo: event.id } }),
        detail: [text('name'), text('subdomain')]
          .map((one) => harmlessLine(one ?? ''))
          .filter(Boolean)
          .join(' · '),
      };
    case 'smtp.refused':
      return {
        ...base,
        kind: 'refusal',
        tone: 'bad',
        title: harmlessLine(text('reply') ?? 'Refused', 160),
        detail: [saidStage(text('stage')), harmlessLine(text('recipient') ?? '', 80)].filter(Boolean).join(' · '),
      };
    case 'fault.applied':
      return { ...base, kind: 'server', tone: 'waiting', title: 'Fault applied', detail: saidStage(text('stage')) };
    case 'totp.read':
      return { ...base, kind: 'server', title: 'Authenticator code read', detail: harmlessLine(text('name') ?? '') };
    case 'clock.set': {
      const seconds = data['offsetSeconds'];
      const detail = typeof seconds === 'number' ? `${seconds} s from real time` : 'it follows the clock of the server';
      return { ...base, kind: 'server', tone: 'waiting', title: 'Clock set', detail };
    }
    case 'reset':
      return { ...base, kind: 'server', tone: 'waiting', title: 'Server reset', detail: 'All earlier data is gone.' };
    default:
      return { ...base, kind: 'server', title: event.type, detail: '' };
  }
}

/**
 * Sorts entries newest first and removes duplicates. A message that is gone has no link, and no marks: the server tells
 * nothing of its arrival either. It keeps one mailbox and the given kinds; null and an empty list
 * keep all.
 */
export function timelineOf(
  items: readonly TimelineItem[],
  { mailboxId, kinds }: { readonly mailboxId: string | null; readonly kinds: readonly string[] },
): readonly TimelineItem[] {
  const seen = new Set<string>();
  const isGone = goneIn(items);
  return items
    .map((item) => (item.leadsTo !== null && 'message' in item.leadsTo && isGone(item) ? unlinked(item) : item))
    .filter((item) => item !== null)
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .filter((item) => kinds.length === 0 || kinds.includes(item.kind))
    .filter((item) => mailboxId === null || item.mailboxId === mailboxId)
    .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1));
}

/** Returns whether the message of an entry went later. */
function goneIn(items: readonly TimelineItem[]): (item: TimelineItem) => boolean {
  const ids = new Set<string>();
  const upTo = new Map<string | null, string>();
  for (const { gone, mailboxId } of items) {
    if (gone === undefined) continue;
    if ('ids' in gone) for (const id of gone.ids) ids.add(id);
    else if (gone.upTo > (upTo.get(mailboxId) ?? '')) upTo.set(mailboxId, gone.upTo);
  }
  return ({ mailboxId, leadsTo }) => {
    const id = leadsTo !== null && 'message' in leadsTo ? leadsTo.message : null;
    return id !== null && (ids.has(id) || id <= (upTo.get(mailboxId) ?? ''));
  };
}

/** Returns the entry of a message that is gone. Null for its marks. */
function unlinked(item: TimelineItem): TimelineItem | null {
  return item.messageId === undefined ? { ...item, leadsTo: null } : null;
}

export function toneOfState(state: string): TimelineItem['tone'] {
  if (state === 'delivered' || state === 'captured') return 'good';
  return state === 'queued' ? 'waiting' : 'bad';
}

function statusOf(status: unknown): string {
  if (status === 0) return 'nothing: dropped';
  return typeof status === 'number' ? String(status) : '';
}

/** Lists recipients, with the state of each that differs from that of the whole send. */
function recipientsOf(recipients: unknown, whole: string | null): string {
  if (!Array.isArray(recipients)) return '';
  return recipients
    .slice(0, 3)
    .map((one: { address?: unknown; state?: unknown }) =>
      [harmlessLine(String(one.address ?? ''), 60), one.state === whole ? '' : String(one.state ?? '')]
        .filter(Boolean)
        .join(' '),
    )
    .join(', ');
}

/** Returns what happened to a thing, such as `created`, by the type of its event. */
function saidChange(type: string): string {
  return type.slice(type.indexOf('.') + 1).replace('updated', 'changed');
}
