import { after } from '../../../src/client/environment.ts';
import type { MessageSummaryResponse, Server, WebhookRequestSummary } from '../../../src/client/index.ts';
import { errorCode } from '../../../src/text/unknown.ts';
import { CLOCK_SET } from '../../../src/text/wording.ts';
import type { Input } from '../model/inputs.ts';
import type { MailMarks } from '../model/resources.ts';
import { forwardOf, toMailRow, toRequestRow } from './resources.ts';

/** The data of the feed events that the inbox handles (docs/feed.md). */
interface EventData {
  readonly 'message.received': MessageSummaryResponse & { readonly mailboxId: string };
  readonly 'message.deleted': Omit<Extract<Input, { is: 'messages-gone' }>, 'is'>;
  readonly 'message.updated': { readonly messages: readonly ({ readonly id: string } & MailMarks)[] };
  readonly 'mailbox.created': object;
  readonly 'mailbox.updated': object;
  readonly 'mailbox.deleted': object;
  readonly 'webhook.captured': WebhookRequestSummary & { readonly webhookId: string };
  readonly 'webhook.forwarded': Pick<WebhookRequestSummary, 'forwardStatus' | 'forwardHttpStatus'> & {
    readonly requestId: string;
  };
  readonly 'webhook.trimmed': { readonly webhookId: string; readonly upTo: string };
  readonly 'webhook.cleared': { readonly webhookId: string };
  readonly 'clock.set': object;
  readonly reset: object;
}

type InboxFeedEvent = {
  readonly [Type in keyof EventData]: {
    readonly id: string;
    readonly workspaceId: string | null;
    readonly type: Type;
    readonly data: EventData[Type];
  };
}[keyof EventData];

/** The server pings every 30 s. After this much silence, the connection counts as lost. */
const SILENCE_MS = 70_000;

interface Listener {
  opened(): void;
  told(event: InboxFeedEvent): void;
}

/**
 * Listens to the feed of a server, after a given event or from now on. Resolves with the reason when the connection
 * ends.
 */
export async function listenToFeed(
  { url, adminToken }: Server,
  since: string | null,
  listener: Listener,
  signal: AbortSignal,
): Promise<string> {
  const { WebSocket } = await import('ws');
  if (signal.aborted) return 'stopped';
  const address = `${url.replace(/^http/i, 'ws')}/_mailcap/feed${since === null ? '' : `?since=${since}`}`;
  const headers = adminToken === null ? {} : { Authorization: `Bearer ${adminToken}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false, handshakeTimeout: 10_000 });
  const end = () => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  let callOff = () => {};
  const heard = () => {
    callOff();
    callOff = after(SILENCE_MS, end);
  };
  return new Promise((resolve) => {
    let reason = 'the server is gone';
    socket.on('open', () => {
      heard();
      listener.opened();
    });
    socket.on('ping', heard);
    socket.on('message', (data) => {
      heard();
      // The server created this event.
      listener.told(JSON.parse(data.toString()) as InboxFeedEvent);
    });
    socket.on('error', (error) => {
      reason = errorCode(error) === 'ECONNREFUSED' ? 'the server is gone' : error.message;
    });
    socket.on('close', (code, text) => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve(text.length > 0 ? text.toString() : code === 1013 ? 'the inbox was too slow for the feed' : reason);
    });
  });
}

/** Converts a feed event into an input for the inbox of a workspace, or into null if the inbox ignores it. */
export function inputOf(event: InboxFeedEvent, workspaceId: string | null): Input | null {
  if (event.workspaceId !== null && workspaceId !== null && event.workspaceId !== workspaceId) return null;
  switch (event.type) {
    case 'message.received':
      return { is: 'messages-arrived', mailboxId: event.data.mailboxId, rows: [toMailRow(event.data)] };
    case 'message.deleted': {
      const { mailboxId, ids, upTo } = event.data;
      return { is: 'messages-gone', mailboxId, ids, upTo };
    }
    case 'message.updated':
      return { is: 'marked', marks: new Map(event.data.messages.map(({ id, ...marks }) => [id, marks])) };
    case 'mailbox.created':
    case 'mailbox.updated':
    case 'mailbox.deleted':
      return { is: 'mailboxes-changed' };
    case 'clock.set':
      return { is: 'reset', because: CLOCK_SET };
    case 'reset':
      return { is: 'reset', because: 'the server was reset' };
    case 'webhook.captured':
      return { is: 'request-captured', webhookId: event.data.webhookId, row: toRequestRow(event.data) };
    case 'webhook.forwarded': {
      const { requestId: id, forwardStatus, forwardHttpStatus } = event.data;
      return { is: 'request-forwarded', id, forward: forwardOf(forwardStatus), forwardHttpStatus };
    }
    case 'webhook.trimmed': {
      const { webhookId, upTo } = event.data;
      return { is: 'requests-trimmed', webhookId, upTo };
    }
    case 'webhook.cleared':
      return { is: 'requests-trimmed', webhookId: event.data.webhookId, upTo: event.id };
    default:
      // The inbox shows no sends. A newer server can send unknown events too.
      return null;
  }
}
